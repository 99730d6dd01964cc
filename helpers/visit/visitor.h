/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: how a command looks into a running step, from any host that
 * reaches srun's host or its nodes. Slurm says where the step is (step_find.h);
 * its controller answers the question for the step's secret so that the job's
 * user alone can open it (helpers/auth, way_search.h); with that the command
 * asks the launchers, and is told (helpers/part/sight.h). Nothing of the step
 * is changed.
 *
 * step_find		which step, and where: by scontrol.c
 * step_text		what scontrol prints: pure
 * site_ports		the administrator's ports
 * words_heard		what of an answer is taken, and made fit to be shown
 * way_search, way_list, node_ips	which of the addresses leads to the step
 * visitor		one question, and what all launchers answer
 * visit_missing, node_names	who hasn't
 */
#ifndef DT_HELPERS_VISIT_VISITOR_H
#define DT_HELPERS_VISIT_VISITOR_H

#include "core/base/err.h"
#include "helpers/visit/step_find.h"

#include <stdbool.h>
#include <stddef.h>

/* --- a question to a step's launchers --- */

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

/* --- asked once --- */

/* "MIN-MAX", as --ports= has it; NULL: as found. Returns 0 or -1. */
int visit_read_ports(const char *text, struct visit_ports *ret,
		     struct err *err);

/* Blocks until all launchers that are there have answered or the time is over:
 * `ms` and 10 s for the way. Returns 0, or -1 when the step can't be reached or
 * doesn't answer, or ends meanwhile: what was shown may be a part then. Call as
 * the job's user. */
int visit_step(const struct visit *visit, struct err *err);

/* --- for a command that asks again and again, over one connection --- */

struct loop;
struct visitor;

struct visitor_calls {
	/* All have answered who are there: it may be asked again. With an
	 * error: the step can't be reached, has ended or doesn't answer, and
	 * that was the last call. It may not close the visitor. */
	void (*done)(void *arg, const struct err *err);
	void *arg;
};

/* Ask for the first time; the visit and what it points to is borrowed. What
 * comes is told from the loop. NULL: out of memory. */
struct visitor *visitor_open(const struct visit *visit, struct loop *loop,
			     const struct visitor_calls *calls,
			     struct err *err);

/* The same question; after `done`. */
void visitor_ask_again(struct visitor *visitor);

/* NULL is allowed. */
void visitor_close(struct visitor *visitor);

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

#endif
