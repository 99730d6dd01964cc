/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The checks of doctor.h by table: what a node's fact means for a job.
 */
#ifndef DT_HELPERS_JUDGE_JUDGE_CHECKS_H
#define DT_HELPERS_JUDGE_JUDGE_CHECKS_H

#include "helpers/judge/findings.h"

/* `check` is the name in the table, for doctor_find(). */
typedef void (*judge_fn)(struct doctor *d, const char *check, unsigned node,
			 const char *text);

struct doctor_check {
	const char *name, *key; /* of a fact; a name's checks are neighbours */
	judge_fn judge;		/* NULL: only `well` */
	const char *well;	/* NULL: the next one of that name says it */
};

/* Each ends with a NULL name: between the nodes, and on each of them. */
extern const struct doctor_check doctor_net_checks[];
extern const struct doctor_check doctor_gpu_checks[];
extern const struct doctor_check doctor_rdma_checks[];
extern const struct doctor_check doctor_node_checks[];
extern const struct doctor_check doctor_start_checks[];

#define FAIL(...) doctor_find(d, DOCTOR_FAIL, check, node, __VA_ARGS__)
#define WARN(...) doctor_find(d, DOCTOR_WARN, check, node, __VA_ARGS__)

#endif
