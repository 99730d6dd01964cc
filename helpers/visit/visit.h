/* SPDX-License-Identifier: Apache-2.0 */
/* A question to a step's launchers. */
#ifndef DT_HELPERS_VISIT_VISIT_H
#define DT_HELPERS_VISIT_VISIT_H

#include "helpers/visit/step_find.h"

#include <stdbool.h>

#define STACK_MS 15000 /* for the launchers to take stacks */

/* As the user gives them; 0: as found. */
struct visit_ports {
	unsigned min, max;
};

struct visit {
	const struct found_step *step;
	struct visit_ports ports;
	const char *what; /* "WHAT [WORD...]" */
	long ms;	  /* for the launchers to look */
	/* Of one launcher, as it comes; rows (core/facts/rows.h), which may be
	 * changed. */
	void (*shown)(void *arg, unsigned member, const char *node, char *rows);
	/* A line for the user on what is missing: launchers that don't answer,
	 * or aren't here. NULL: it goes to standard error. */
	void (*missing)(void *arg, const char *line);
	/* Each node of those: `away`, no launcher is there; else one is, and
	 * hasn't answered in time. Of a very large step the first ones. NULL:
	 * nobody wants to know. */
	void (*without)(void *arg, const char *node, bool away);
	void *arg; /* for all of these */
};

/* Of a visit: which launchers have told nothing, and why. */

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
