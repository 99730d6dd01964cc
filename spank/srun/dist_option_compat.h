/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `--dist=block`, which means --distribution where this plugin isn't loaded.
 * Our option's name begins like Slurm's, so that Slurm would call the
 * abbreviation ambiguous: it becomes an option of its own, which gives the
 * value back to Slurm (doc/design/0018-dist-abbreviation.md).
 */
#ifndef DT_SPANK_SRUN_DIST_OPTION_COMPAT_H
#define DT_SPANK_SRUN_DIST_OPTION_COMPAT_H

#include <slurm/spank.h>

/* In srun, sbatch and salloc, from slurm_spank_init: register what `option`,
 * the name of our own, makes ambiguous. Nothing if that is nothing. Borrows
 * the name. A framework as the value is refused, with the option that takes
 * it. */
void dist_option_register(spank_t sp, const char *option);

/* All sources of the options have been read. */
void dist_option_end(void);

#endif
