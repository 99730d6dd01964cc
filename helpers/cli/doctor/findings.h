/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `dist-train doctor` makes of the facts that the nodes tell: pure, lines
 * in, findings out.
 *
 * A fact is a line "dist-train-doctor NODE KEY TEXT"; the keys and their texts
 * are those of the tables in doctor_net.c and doctor_node.c.
 */
#ifndef DT_HELPERS_CLI_DOCTOR_FINDINGS_H
#define DT_HELPERS_CLI_DOCTOR_FINDINGS_H

#include "core/base/err.h"

#include <stdbool.h>
#include <stddef.h>

#define DOCTOR_MARK	  "dist-train-doctor"
#define DOCTOR_TEXT_SIZE  400
#define DOCTOR_NODES_SIZE 256

enum doctor_level { DOCTOR_OK, DOCTOR_WARN, DOCTOR_FAIL };

struct doctor_fact {
	unsigned node;
	size_t at; /* of their coming */
	char *key;
	char *text;
};

struct doctor_finding {
	enum doctor_level level;
	const char *check;	       /* "mtu" */
	char text[DOCTOR_TEXT_SIZE];   /* what was found */
	const char *remedy;	       /* "": none is needed */
	char nodes[DOCTOR_NODES_SIZE]; /* "node1,node2 and 7 more" */
	unsigned nnodes, nshown, last; /* `last`: the node added last */
};

struct doctor {
	unsigned nnodes;
	char **node; /* their names; the first is rank 0's */
	struct doctor_fact *fact;
	size_t nfacts;
	struct doctor_finding *finding;
	size_t nfindings;
	bool no_memory;
};

/* For the nodes of a host list. Free with doctor_clear(), in any case. */
int doctor_open(struct doctor *doctor, const char *nodes, struct err *err);
void doctor_clear(struct doctor *doctor);

/* Keep the fact of a line; false when it is none, or not of these nodes. */
bool doctor_add_line(struct doctor *doctor, const char *line);

/* The text of a node's first fact of that key, or NULL. */
const char *doctor_fact(const struct doctor *doctor, unsigned node,
			const char *key);

/* How many nodes have told such a fact. */
unsigned doctor_count(const struct doctor *doctor, const char *key);

/* Add a finding, or a node to the same one. */
void doctor_find(struct doctor *doctor, enum doctor_level level,
		 const char *check, unsigned node, const char *remedy,
		 const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* Make all findings: for each check either what is wrong, or one that all is
 * well. */
int doctor_judge(struct doctor *doctor, struct err *err);

/* "ok", "warn", "fail". */
const char *doctor_level_name(enum doctor_level level);

/* The worst of all findings. */
enum doctor_level doctor_worst(const struct doctor *doctor);

#endif
