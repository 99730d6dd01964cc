/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The option in srun, sbatch, salloc and slurmstepd.
 */
#ifndef DT_SPANK_OPTIONS_H
#define DT_SPANK_OPTIONS_H

#include "core/option/config.h"

#include <slurm/spank.h>

/* Register the option under the administrator's name. If that fails, Slurm
 * itself prints an error. */
void options_register(spank_t sp, const struct config *config);

/* The option's text as last given (Slurm calls back for every source: script,
 * environment, command line; the last wins), or NULL when it wasn't given or
 * says `none`. */
const char *options_text(void);

void options_clear(void);

#endif
