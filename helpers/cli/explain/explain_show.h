/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One step, in the form that was asked for.
 */
#pragma once

#include "core/base/envset.h"
#include "core/base/err.h"
#include "core/explain/explain.h"
#include "core/option/config.h"
#include "core/option/option.h"
#include "helpers/batch/srun_line.h"
#include "helpers/cli/command.h"
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

/*
 * The words of `dist-train explain`, and what they ask for.
 */

struct arguments {
	const char *request;
	char *const *command; /* after "--", ends with NULL; NULL: none */
	struct given given;   /* explain's own options */
	struct step_ask ask;  /* what srun's options say */
	int argc;	      /* the words from "srun" or "sbatch" on */
	char **argv;
};

/* Read them, argv[0] being the command's name. Returns 0, SHOW_HELP or
 * EXIT_USAGE. */
int arguments_read(const struct command *explain, int argc, char *argv[],
		   struct arguments *ret, struct err *err);

/* An option's number; `initial` when it isn't given. Fails above `max`. */
int arguments_number(const struct arguments *a, const char *name, long initial,
		     long max, long *ret, struct err *err);

/* In which form the step is to be shown. Fails for what doesn't go together. */
int arguments_wish(const struct arguments *a, struct explain_wish *ret,
		   struct err *err);

/* The components of a heterogeneous step, as `dist-train explain` reads them of
 * a command line or a script: each has its own layout and may have its own
 * option. */

struct explain_parts {
	unsigned n; /* 0: it is an ordinary step */
	struct request request[PARTS_MAX];
	struct dryrun_part part[PARTS_MAX];
	char *nodes, *tasks, *devices; /* of all */
};

/* The option of each, and where its tasks are; fills in what `spec` has of it.
 * Fails where one isn't understood, and where the components can't be one
 * world. Free with explain_parts_clear() in both cases. */
int explain_parts_read(const struct srun_line *line,
		       const struct config *config, FILE *notes,
		       struct explain_parts *ret, struct dryrun_spec *spec,
		       struct err *err);
void explain_parts_clear(struct explain_parts *parts);

/*
 * The processes of a step that isn't there, with their variables: one, and what
 * several have in common. For every form in which explain shows them.
 */

/* One process; clear with process_view_clear(). */
struct process_view {
	struct process process;
	struct envset set; /* resolved, as if nothing had been set before */
};

#define cleanup_process __attribute__((cleanup(process_view_clear)))

/* Move the view to `rank` and make that process. */
int process_view_make(struct dryrun_view *view, unsigned rank,
		      struct process_view *ret, struct err *err);
void process_view_clear(struct process_view *p);

/* The variables of several processes. */
struct process_common {
	struct envset set; /* each that one of them has, with the value of the
			      first that has it */
	bool *differs;	   /* for each of `set`: not all have the same */
};

#define cleanup_common __attribute__((cleanup(process_common_clear)))

/* Compare the processes of these `n` ranks, or where `rank` is NULL those from
 * 0 on. */
int process_common_make(struct dryrun_view *view, const unsigned *rank,
			unsigned n, struct process_common *ret,
			struct err *err);
void process_common_clear(struct process_common *c);

/* Whether all have this variable with the same value. */
bool process_common_has(const struct process_common *c, const char *name);

/* Those of `c` that differ, or those that don't: the array is the caller's to
 * free, the entries stay c's. Fails when out of memory. */
int process_common_part(const struct process_common *c, bool differs,
			struct envset *ret, struct err *err);
