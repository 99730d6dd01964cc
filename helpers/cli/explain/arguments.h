/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words of `dist-train explain`, and what they ask for.
 */
#ifndef DT_HELPERS_CLI_EXPLAIN_ARGUMENTS_H
#define DT_HELPERS_CLI_EXPLAIN_ARGUMENTS_H

#include "helpers/batch/srun_line.h"
#include "helpers/cli/commands.h"
#include "helpers/cli/explain/explain_show.h"

enum {
	OPT_ASK, /* srun's own, in the order of enum ask_id */
	OPT_TASKS = OPT_ASK + ASK_COUNT,
	OPT_DEVICES,
	OPT_CHIP,
	OPT_TOPOLOGY,
	OPT_RANK,
	OPT_DIFF,
	OPT_FORMAT,
	OPT_ALL,
	OPT_LINE,
	OPT_JOB,
	OPT_STEP,
	OPT_CONF,
	OPT_JSON,
	OPT_PICTURE,
	OPT_HELP,
	OPT_COUNT,
};

struct arguments {
	const char *request;
	char *const *command; /* after "--", ends with NULL; NULL: none */
	const char *value[OPT_COUNT]; /* NULL: not given */
	struct step_ask ask;	      /* what srun's options say */
	int argc;		      /* the words from "srun" or "sbatch" on */
	char **argv;
};

/* Read them. Short options are made long ones first, in copies which *ret_words
 * owns: arguments_free(). Returns 0, or -1: wrong usage. */
int arguments_read(int argc, char *argv[], struct arguments *ret,
		   char ***ret_words, struct err *err);
void arguments_free(char ***words);

/* An option's number; `initial` when it isn't given. Fails above `max`. */
int arguments_number(const struct arguments *a, int option, long initial,
		     long max, long *ret, struct err *err);

/* In which form the step is to be shown. Fails for what doesn't go together. */
int arguments_wish(const struct arguments *a, struct explain_wish *ret,
		   struct err *err);

#endif
