/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a picture of a step's layout shows: nodes, and in each what runs there.
 * It is read from the plans of the step's tasks, one after the other; what
 * draws it (layout_svg.c) knows no plan. What another part adds to a layout is
 * another node or another kind of thing in one.
 */
#pragma once

#include "core/base/err.h"
#include "core/groups/groups_report.h"
#include "helpers/cli/dryrun/dryrun_step.h"

#include <stdio.h>

#define LAYOUT_RANKS_MAX 32768 /* more are counted, not read */

enum layout_kind {
	/* one below the other, as wide as the node */
	LAYOUT_SERVICE, /* a process that the step adds, without a rank */
	LAYOUT_PROGRAM, /* a process that starts others itself */
	/* side by side */
	LAYOUT_RANK,   /* a process of the step */
	LAYOUT_WORKER, /* one that the program of its node starts */
	LAYOUT_SLOT,   /* room for one that the step's one program starts */
};

static inline bool layout_is_bar(enum layout_kind kind)
{
	return kind <= LAYOUT_PROGRAM;
}

struct layout_item {
	enum layout_kind kind;
	enum role role;
	bool numbered;
	unsigned node;	 /* index */
	unsigned number; /* rank; of LAYOUT_WORKER as the program counts */
	unsigned last;	 /* the same item's on the last of a fold's nodes */
	unsigned local_rank, role_index;
	unsigned crosses; /* bits of the kinds of its groups that do */
	char devices[24]; /* "dev 0-3" as the node counts them, or "" */
};

struct layout_node {
	char *name;   /* of a fold: as a host list */
	char nic[64]; /* its block or switch, the interface on which it meets
			 the others, both, or "" */
	size_t first; /* of its items */
	unsigned nbars, ncells;
	unsigned equal; /* so many nodes: 1, or those of a fold */
	bool spare;	/* nothing runs there */
};

struct layout {
	struct layout_node *node; /* in the order of their first rank */
	unsigned nnodes;
	struct layout_item *item; /* by node: bars, then cells by number */
	size_t nitems;
	long meeting; /* the item where the coordinator is; -1: none */
	unsigned world_size, nread; /* ranks */
	unsigned nworkers; /* that programs start; 0: none, or unknown */
	unsigned nslots;
	bool services, role[ROLE_COUNT];	     /* which there are */
	char crossing[GROUPS_MAX][GROUPS_MARK_SIZE]; /* "tp crosses a block" */
	char groups[GROUPS_LINE_SIZE]; /* what is said of them, in lines */
};

/* Read it. Moves the view; leaves it at rank 0. Free with layout_clear(),
 * also after a failure. */
int layout_read(struct dryrun_view *view, struct layout *ret, struct err *err);
void layout_clear(struct layout *layout);

/* Make one of nodes that follow each other and differ in name and ranks alone.
 * The first node stays by itself. */
int layout_fold(struct layout *layout, struct err *err);

/* Draws a layout as SVG. */

/* What is said around the nodes; borrowed texts, none NULL. */
struct layout_drawing {
	unsigned nnodes, nranks; /* that are drawn */
	const char *title, *mode;
	const char *command;  /* "" for none */
	const char *meeting;  /* the coordinator; "" for none */
	const char *examples; /* which values are made up, in lines */
	const char *framework;
	const char *program; /* what a LAYOUT_PROGRAM is called */
};

void layout_draw(FILE *f, const struct layout *layout,
		 const struct layout_drawing *drawing);

/* The same as members of JSON, for the page. */
struct json;
void layout_json(struct json *j, const struct layout *layout,
		 const struct layout_drawing *drawing);

/* Texts of an item: "rank 5 on node1, LOCAL_RANK 5, dev 5", for the pointer and
 * the search; what stands in its box; and what is small below that. */
void layout_item_text(const struct layout *layout,
		      const struct layout_item *item, char *buf, size_t size);
void layout_item_label(const struct layout *layout,
		       const struct layout_drawing *drawing,
		       const struct layout_item *item, char *buf, size_t size);
void layout_item_below(const struct layout_item *item, char *buf, size_t size);

/*
 * The layout of a step as a picture: nodes with what runs there, each with its
 * rank, devices and role, and where the coordinator is. An SVG has equal nodes
 * folded into one where there are many; a page (.html) has all of them, and a
 * search.
 */

/* Write it into `path`, all or nothing: a page where that ends in .html, else
 * an SVG; "-" is standard output. The view is one that has a task. Moves it.
 * Fails when a plan fails, or the file can't be written. */
int layout_svg_write(struct dryrun_view *view, const char *path,
		     struct err *err);
