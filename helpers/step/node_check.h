/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The check of a step's nodes, where its launchers meet: collects what each
 * node tells, judges, lets pairs of nodes measure (check=full), judges again.
 * One for each round of the step. It decides and sends nothing itself: that
 * goes through the callbacks of its options.
 *
 * A node tells
 *	"0 NEW CLOCK_MS IP|- PORT\nFACTS"	what it has found; NEW 0: it
 *						was well in the round before
 *						and has not looked again
 *	"STAGE RATE AGAIN"			what it has measured
 * and is told
 *	"0"			the check is over, and all nodes are well
 *	"STAGE OTHER"		measure with that node, which connects to you
 *	"STAGE OTHER IP PORT"	measure with that node: connect to it
 *
 * OTHER and all numbers of nodes here are places.
 */
#pragma once

#include "core/base/err.h"
#include "sys/loop.h"

#include <stdbool.h>

#define CHECK_SLACK_MS 4000 /* for messages of a node with a poor network */

struct node_check;

struct check_options {
	struct loop *loop;
	unsigned nnodes;
	const char *const *name; /* of the nodes; borrowed */
	unsigned self; /* which of them is ours; nnodes: srun's host */
	bool full;
	int look_ms; /* how long a node may take to look at itself */
	/* Whether the node's launcher has come: others are waited for without
	 * a limit (the session has one). */
	bool (*here)(void *arg, unsigned node);
	void (*tell)(void *arg, unsigned node, const char *text);
	/* A line for the user. */
	void (*remark)(void *arg, const char *line);
	/* A node is unfit: `why` begins after its name. Nothing is called any
	 * more but this for further ones, then `over`. */
	void (*condemn)(void *arg, unsigned node, const char *why);
	/* The step may not start, and it is no node's fault. `over` comes. */
	void (*refuse)(void *arg, const char *why);
	/* No more calls come. */
	void (*over)(void *arg);
	void *arg;
};

/* NULL when out of memory. */
struct node_check *node_check_open(const struct check_options *options,
				   struct err *err);
/* The round is over: nothing is told any more, but by a call that is under way.
 */
void node_check_stop(struct node_check *check);
void node_check_close(struct node_check *check);

/* A node tells something; nonsense is ignored. */
void node_check_note(struct node_check *check, unsigned node, const char *text);
