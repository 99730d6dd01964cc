/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This folder: the commands status and top.
 *
 *	figures		what is known of a rank: the one table, figures.def
 *	looks		asks the step (helpers/visit), again and again
 *	step_view	what its launchers have told, as numbers
 *	view_compare	what two looks, and all ranks together, say
 *	view_lines	ranks as lines: each one, those that are alike, or each
 *			node; sorted
 *	view_table	the lines as a table; view_head: what stands above it
 *	status_json, status_prometheus	for programs
 *	top, terminal	the table on a terminal, updated in place
 *
 * The rows that are read here are those of helpers/look/look_status.c.
 */
#pragma once

#include "core/base/hostlist.h"
#include "core/roles/role_names.h"
#include "helpers/cli/status/figures.h"

#include <stdbool.h>
#include <stdio.h>

#define NO_RANK (~0U)

struct rank_view {
	unsigned rank, node; /* the latter is a place in step_view.node */
	unsigned world;	     /* a place in step_view.role and one, or 0 */
	bool ended;
	int code;	  /* then */
	char state;	  /* as ps has it; 'E': it has ended; '?': not known */
	bool quiet_by_io; /* FIGURE_QUIET is that since any write, anywhere;
			     else to its stdout or stderr */
	double value[FIGURES]; /* NAN: nobody has told it */
	double wrote_at_s;     /* for the next look */
};

struct node_view {
	char name[HOSTLIST_NAME_MAX];
	unsigned was; /* its place before they were sorted */
	unsigned round;
	bool spare;
	unsigned nprocs;  /* that it is to run */
	unsigned nranks;  /* that have been started */
	unsigned slowest; /* of its ranks, a place in step_view.rank; or
			     NO_RANK: they don't report */
};

/* A world of a step with several roles. */
struct role_view {
	char name[ROLE_NAME_SIZE], state[16], url[ROLE_URL_SIZE];
	char text[ROLE_WORLD_NAME_SIZE]; /* as messages name it */
	unsigned world;
};

/* How far the key stage is. */
struct stage_view {
	bool has;	/* it was told */
	char path[512]; /* that is under way; "": all are ready */
	double bytes, of;
	unsigned ready, nodes;
	double left_s; /* NAN: nobody knows */
};

struct step_view {
	unsigned world_size, nnodes, requeues, round;
	struct rank_view *rank; /* in rank_order(), after step_view_finish() */
	unsigned nranks;
	struct node_view *node; /* that have answered, by name as numbers go */
	unsigned n;
	struct node_view *away; /* that are not here; only the name counts */
	unsigned naway;
	struct node_view *silent; /* that are, and haven't answered; so, too */
	unsigned nsilent;
	struct role_view *role; /* by role, then world */
	unsigned nroles;
	struct stage_view stage;
	bool full;	/* something had no room in memory */
	unsigned world; /* as in rank_view: of the rows that are read */
};

/* {0} is the view of nothing. */
void step_view_clear(struct step_view *view);

/* What one launcher has told; `rows` are changed. */
void step_view_add(struct step_view *view, const char *node, char *rows);

/* A node of which nothing has come: no launcher is there, or it is silent. */
void step_view_without(struct step_view *view, const char *node, bool away);

/* All have told: sort, and compare with the look before (may be of nothing). */
void step_view_finish(struct step_view *view, const struct step_view *before);

/* Two to five lines on the step, each with its newline; `step` is "4711.0". */
void view_head(FILE *f, const struct step_view *view, const char *step);

/* Of a world, as messages name it; "" where the step is one. */
const char *rank_world(const struct step_view *view,
		       const struct rank_view *rank);

/* <0, 0, >0: by world, then number. */
int rank_order(const struct rank_view *a, const struct rank_view *b);

/* Nodes in reserve. */
unsigned step_view_spares(const struct step_view *view);
