/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the facts of a step's nodes mean, by the rules of helpers/judge: what
 * `dist-train doctor` calls a failure condemns a node, a warning is a remark.
 * Pure.
 */
#ifndef DT_HELPERS_CHECK_VERDICT_H
#define DT_HELPERS_CHECK_VERDICT_H

#include "core/base/err.h"

/* Judge `nnodes` nodes, with their names. facts[i] has the lines "KEY TEXT" of
 * a node (helpers/check/node_facts.h), NULL: it has told none. `condemned` is
 * called with each reason for which a job would fail on a node, then `remark`
 * with whatever else isn't as it should be, and the names of the nodes it is
 * true of ("node1,node2+7"). Fails when out of memory. */
int verdict_make(const char *const name[], const char *const facts[],
		 unsigned nnodes,
		 void (*condemned)(void *arg, unsigned node, const char *text),
		 void (*remark)(void *arg, const char *nodes, const char *text),
		 void *arg, struct err *err);

#endif
