/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The option in srun, sbatch, salloc and slurmstepd.
 */
#pragma once

#include "core/option/config.h"

#include <slurm/spank.h>
#include <stdbool.h>

/* Register the option under the administrator's name. If that fails, Slurm
 * itself prints an error. */
void options_register(spank_t sp, const struct config *config);

/* The option's text as last given (Slurm calls back for every source: script,
 * environment, command line; the last wins), or NULL when it wasn't given or
 * says `none`. */
const char *options_text(void);

/* Whether any source has given it, `none` too. */
bool options_given(void);

/* In srun: whether the text was left by sbatch or salloc, in a variable, and
 * this srun has no such option of its own. */
bool options_inherited(void);

/* In srun: the text that this component of a heterogeneous step has on the
 * command line; NULL: it has none. Once for each component: the next call is
 * for the next one. */
const char *options_of_component(void);

/* On a node of such a step: the component's own text, in place of the last one
 * that Slurm tells all. Fails when out of memory. */
int options_replace(const char *text);

void options_clear(void);
