/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What srun's own words say about a step before Slurm has read them: enough to
 * ask for the ports that it will need. A wrong guess costs ports that nobody
 * uses, or a derived port instead of a reserved one. A file of roles is refused
 * by what is certain of it.
 */
#pragma once

#include "core/option/option.h"

/* 0: not said. */
struct srun_hint {
	unsigned nnodes, ntasks;
	unsigned node_tasks;   /* --ntasks-per-node */
	unsigned node_devices; /* --gpus-per-node, --gres */
	unsigned more_nodes;   /* 1: `nnodes` is the least of a range */
};

/* Take a word of srun's command line with the one after it (NULL: none). What
 * is already known stays: srun's own options come before the program's. */
void srun_hint_word(struct srun_hint *guess, const char *word,
		    const char *next);

/* Take a variable from which srun has its defaults. What is known stays. */
void srun_hint_variable(struct srun_hint *guess, const char *name,
			const char *value);

/* The n-th of these variables; NULL after the last. */
const char *srun_hint_variable_nth(unsigned n);

/* How many ports the step has to reserve; 0: as many as Slurm does by itself
 * (one more than a node has tasks), or nobody can tell. */
unsigned srun_hint_ports(const struct request *request,
			 const struct srun_hint *guess);
