/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line for srun's user while processes come up: on a terminal it is
 * updated in place and then cleared; elsewhere it is a line a second.
 */
#pragma once

#include "core/plan/plan.h"
#include "helpers/conn/connections.h"
#include "sys/loop.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct connections;

struct progress {
	struct loop *loop;
	struct loop_timer timer;
	const struct connections *members; /* that are here */
	unsigned total, up;		   /* processes */
	const char *nodes;		   /* of the step, or NULL */
	bool on, terminal, shown;
	char last[1024]; /* what was shown */
	char does[768];	 /* what is under way before they run; "" */
	void (*say)(void *arg, const char *text);
	void *arg;
};

/* Whether it is shown is the key progress; for `auto`, whether srun's standard
 * error is a terminal and its lines aren't labelled. */
void progress_open(struct progress *p, struct loop *loop,
		   const struct plan *plan, const struct connections *members,
		   void (*say)(void *arg, const char *text), void *arg);

/* So many more processes run. */
void progress_add(struct progress *p, unsigned n);

/* That is under way, in place of who is waited for; "": it is over. */
void progress_does(struct progress *p, const char *text);

void progress_close(struct progress *p);

/* Who is here: members that are connected, and who they are connected to. */
struct present {
	const struct connections *all;
	const char *node; /* his; NULL: he is no member */
};

/* Write the names of at most `max` nodes of the list (Slurm's; or NULL) from
 * which no member has come, and how many more there are. Returns how many in
 * all. */
unsigned absent_nodes(const struct present *here, const char *nodes,
		      unsigned max, FILE *f);

/* All are borrowed. */
struct absence {
	struct present here;
	unsigned ntasks;   /* members; */
	bool by_node;	   /* one for each node, and not for each task */
	const char *nodes; /* Slurm's list of the step's, or NULL */
	long after_s;
	const char *means; /* what that means for the step: "; ...", or "" */
};

/* "dist-train: after 60 s the launchers of 2 of 16 tasks ...; silent nodes:
 * ..." as a line with its newline: the nodes of the step from which no member
 * has come, as far as they fit. False when all are here. */
bool absent_line(const struct absence *absence, char *buf, size_t size);
