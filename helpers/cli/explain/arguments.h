/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words of `dist-train explain`, and what they ask for.
 */
#ifndef DT_HELPERS_CLI_EXPLAIN_ARGUMENTS_H
#define DT_HELPERS_CLI_EXPLAIN_ARGUMENTS_H

#include "helpers/batch/srun_line.h"
#include "helpers/cli/command.h"
#include "helpers/cli/explain/explain_show.h"

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

#endif
