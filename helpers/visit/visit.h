/* SPDX-License-Identifier: Apache-2.0 */
/* A question to the launchers of a step (visitor.h). */
#pragma once

#include "core/base/err.h"
#include "helpers/visit/step_find.h"

#include <stdbool.h>
#include <stddef.h>

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
	 * changed. With several roles: of the step, then of their worlds, whose
	 * rows begin with "world". */
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

struct visitor_calls {
	/* All have answered who are there: it may be asked again. With an
	 * error: the step can't be reached, has ended or doesn't answer, and
	 * that was the last call. It may not close the visitor. */
	void (*done)(void *arg, const struct err *err);
	void *arg;
};

/*
 * What comes from a step's launchers, before anybody sees it. All that is known
 * of who answers a visitor is that it is of the job's user: it may be any
 * program of his, and the command may be root's. So nothing gets to a terminal
 * that isn't text, and a question has so much of an answer and no more.
 */

#define WORDS_MEMBERS_MAX (1U << 20)

/* Since the question. */
struct words_heard {
	size_t bytes, max;
	unsigned char member[WORDS_MEMBERS_MAX / 8]; /* a bit for each */
};

/* It is asked, or asked again: a step of so many nodes. */
void words_heard_begin(struct words_heard *heard, unsigned nnodes);

/* A copy of a message's text, in which what doesn't print is '?', into *ret,
 * which the caller frees. NULL there: it isn't to be heard, for it is of a
 * member that has told already, or of none. Returns 0, or -1: there is no
 * memory, or they tell too much. */
int words_heard_take(struct words_heard *heard, char type, const char *text,
		     size_t n, char **ret, struct err *err);

/*
 * One question to the launchers of a step, or of a world of a step with several
 * roles, over one connection to who leads them. For visitor.c; what is called
 * and when is as there.
 */

struct loop;
struct visit_one;

struct visit_one *visit_one_open(const struct visit *visit, struct loop *loop,
				 const struct visitor_calls *calls,
				 struct err *err);
void visit_one_ask_again(struct visit_one *one);
void visit_one_close(struct visit_one *one);
