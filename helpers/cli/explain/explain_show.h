/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One step, in the form that was asked for.
 */
#ifndef DT_HELPERS_CLI_EXPLAIN_EXPLAIN_SHOW_H
#define DT_HELPERS_CLI_EXPLAIN_EXPLAIN_SHOW_H

#include "core/base/err.h"
#include "core/explain/explain.h"
#include "helpers/cli/dryrun/dryrun_step.h"

#include <stdbool.h>
#include <stdio.h>

enum explain_format {
	FORMAT_TEXT,
	FORMAT_SH,
	FORMAT_ENV,
	FORMAT_JSON,
	FORMAT_NAMES
};

struct explain_wish {
	enum explain_format format;
	bool all_ranks; /* --rank all; JSON and names have it without a rank,
			   too */
	bool diff;	/* rank[0] beside rank[1] */
	unsigned rank[2];
	unsigned flags;	     /* EXPLAIN_ALL, EXPLAIN_COLOUR */
	const char *picture; /* file to draw into; NULL: none */
	const char *notes;   /* how the layout was understood, lines */
};

/* Print it on standard output; `view` is at a task of the step. Returns the
 * exit status; the error says why it isn't EXIT_DONE. */
int explain_show(struct dryrun_view *view, const struct explain_wish *wish,
		 struct err *err);

/*
 * Several processes side by side: --rank all and --diff.
 */

/* What all processes have, then a table of the rest with a row for each
 * process. `flags` are those of explain_process(). */
int explain_all(FILE *f, struct dryrun_view *view, unsigned flags,
		struct err *err);

/* The variables that differ between two processes. */
int explain_diff(FILE *f, struct dryrun_view *view, const unsigned rank[2],
		 struct err *err);

/*
 * Variables for other programs: --format sh, env and names.
 */

/* Lines for a shell to read with `source`: export, unset, and comments for
 * secrets and for what only a node knows. */
int explain_sh(FILE *f, struct dryrun_view *view, unsigned rank,
	       struct err *err);

/* NAME=value lines without quotes, as `docker --env-file` and systemd take
 * them; the rest as comments. */
int explain_env_file(FILE *f, struct dryrun_view *view, unsigned rank,
		     struct err *err);

/* The names alone, of which `docker --env-file` takes the values from its own
 * environment: of one process, or (`rank` NULL) of all. */
int explain_names(FILE *f, struct dryrun_view *view, const unsigned *rank,
		  struct err *err);

/*
 * A step that isn't there, as JSON (doc/json.md).
 */

/* Ends the list of notes, examples and remarks are one text each. */
#define NOTE_END '\n'

struct explain_json {
	unsigned first, end;  /* ranks to print */
	const char *examples; /* which values are made up; "" for none */
	const char *remark;   /* what a person should know; "" for none */
	const char *notes;    /* how the layout was understood, lines */
};

/* Print a step as one object: what all of these processes have, then what each
 * has besides. Processes are printed one by one as they are made: the memory
 * doesn't grow with the step. Fails when a plan fails or out of memory; nothing
 * is printed where a plan fails. */
int explain_json(FILE *f, struct dryrun_view *view,
		 const struct explain_json *step, struct err *err);

/*
 * What `dist-train explain` says about a step that isn't there, as text.
 */

#define EXPLAIN_TEXT_SIZE 512

/* Which of the values are made up, in lines with a newline between them; ""
 * when none is. All of these functions move the view. */
int explain_examples(struct dryrun_view *view, char ret[EXPLAIN_TEXT_SIZE],
		     struct err *err);

/* The remark that one process of the step would print; "" for none. */
int explain_remark(struct dryrun_view *view, char ret[EXPLAIN_TEXT_SIZE],
		   struct err *err);

/* Print the layout, then all that process `rank` gets, with stars at what is
 * different for other processes. `flags` are those of explain_process(). */
int explain_text(FILE *f, struct dryrun_view *view, unsigned rank,
		 unsigned flags, struct err *err);

/* Print what comes last: examples and remark, each where there is one. */
void explain_ends(FILE *f, const char *examples, const char *remark);

#endif
