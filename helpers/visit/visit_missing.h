/* SPDX-License-Identifier: Apache-2.0 */
/* Of a visit: which launchers have told nothing, and why. */
#ifndef DT_HELPERS_VISIT_VISIT_MISSING_H
#define DT_HELPERS_VISIT_VISIT_MISSING_H

#include "helpers/visit/node_names.h"
#include "helpers/visit/visit.h"

struct visit_missing {
	const struct visit *visit; /* borrowed */
	bool *told;		   /* of the step's nodes */
	struct node_names silent;
	unsigned nbusy, nunknown, nabsent; /* launchers */
};

/* Returns 0, or -1: out of memory. */
int visit_missing_open(struct visit_missing *ret, const struct visit *visit);
void visit_missing_close(struct visit_missing *missing);

/* Forget what was noted: it is asked again. */
void visit_missing_reset(struct visit_missing *missing);

/* A launcher on this node has answered so; hasn't in time. */
void visit_missing_answer(struct visit_missing *missing, const char *node,
			  const char *rows);
void visit_missing_silent(struct visit_missing *missing, const char *node);

/* Tell the visit all of it. */
void visit_missing_say(const struct visit_missing *missing);

#endif
