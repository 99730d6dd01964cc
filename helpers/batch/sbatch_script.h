/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps of an sbatch script: its #SBATCH lines, and each command that is
 * srun. The shell isn't run: a variable has no value here, loops and conditions
 * aren't followed, and srun in a function, a pipe's later part or behind
 * another program isn't found. What was skipped is said.
 */
#pragma once

#include "core/base/err.h"
#include "helpers/batch/srun_line.h"

#include <stdbool.h>
#include <stdio.h>

#define SCRIPT_STEPS_MAX 64

struct script_step {
	unsigned line; /* of the file, from 1 on */
	bool inherits; /* the option is the job's */
	struct srun_line srun;
	char **argv; /* the words from srun on */
};

struct script {
	char *text, *words;   /* all else points into them */
	struct srun_line job; /* its nparts: components of the job, or 0 */
	char **job_argv;
	struct script_step step[SCRIPT_STEPS_MAX]; /* that have the option */
	unsigned nsteps;
};

/* Read the words after `sbatch`: its options, which win over the script's, then
 * FILE ("-": standard input). `option` and `notes` are those of
 * srun_line_read(). Fails when the file can't be read, or a line isn't
 * understood. Free with script_clear() in both cases. */
int script_read(int argc, char *argv[], const char *option, FILE *notes,
		struct script *ret, struct err *err);
void script_clear(struct script *script);
