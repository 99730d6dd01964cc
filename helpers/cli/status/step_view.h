/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This folder: the commands status and top.
 *
 *	status_source	asks the step (helpers/visit), again and again
 *	step_view	what its launchers have told, as numbers; two looks
 *			make a rate
 *	view_columns	what can be shown of a rank
 *	view_lines	ranks as lines: each one, those that are alike, or each
 *			node; sorted
 *	view_text, status_json, status_prometheus	printed
 *	top_*		on a terminal, updated in place
 *
 * The rows that are read here are those of helpers/look/look_status.c.
 */
#ifndef DT_HELPERS_CLI_STATUS_STEP_VIEW_H
#define DT_HELPERS_CLI_STATUS_STEP_VIEW_H

#include "core/base/hostlist.h"

#include <stdbool.h>

#define NO_RANK (~0U)

/* A rank. NAN: nobody has told the number. */
struct rank_view {
	unsigned rank, node; /* the latter is a place in step_view.node */
	long pid;
	bool ended;
	int code;	 /* then */
	char state;	 /* as ps has it; 'E': it has ended; '?': not known */
	double nprocs;	 /* that it has started, with itself */
	double up_s;	 /* until its end */
	double cpu;	 /* % since the last look; NAN in the first one */
	double cpu_mean; /* % since its start */
	double cpu_s;
	double memory; /* bytes, as the next two */
	double device_used, device_size;
	double device_use; /* %, the mean of its devices */
	double quiet_s;	   /* since it has written something */
	bool quiet_by_io;  /* that is anything, anywhere; else to its stdout or
			      stderr */
	double percent, remaining_s, step, rate, loss; /* what it reports */
	double report_age_s;
	double busy;   /* % of its time that it works and doesn't wait */
	double slower; /* than the median, times */
	/* for the next look */
	double at_s, written, wrote_at_s;
};

struct node_view {
	char name[HOSTLIST_NAME_MAX];
	unsigned round;
	bool spare;
	unsigned nprocs;  /* that it is to run */
	unsigned nranks;  /* that have been started */
	unsigned slowest; /* of its ranks, a place in step_view.rank; or
			     NO_RANK: they don't report */
};

struct step_view {
	unsigned world_size, nnodes, requeues, round;
	struct rank_view *rank; /* by number, after step_view_finish() */
	unsigned nranks;
	struct node_view *node; /* that have answered, by name as numbers go */
	unsigned n;
	struct node_view *away; /* that are not here; only the name counts */
	unsigned naway;
	struct node_view *silent; /* that are, and haven't answered; so, too */
	unsigned nsilent;
	bool full; /* something had no room in memory */
};

/* {0} is the view of nothing. */
void step_view_clear(struct step_view *view);

/* What one launcher has told; `rows` are changed. */
void step_view_add(struct step_view *view, const char *node, char *rows);

/* A node of which nothing has come: no launcher is there, or it is silent. */
void step_view_without(struct step_view *view, const char *node, bool away);

/* All have told: sort, and compare with the look before (may be of nothing). */
void step_view_finish(struct step_view *view, const struct step_view *before);

/* Nodes in reserve. */
unsigned step_view_spares(const struct step_view *view);

#endif
