/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Read srun's command line and environment before srun does.
 * slurm_spank_init is the only hook in which a variable can still change
 * srun's defaults.
 */
#ifndef DT_SPANK_SRUN_SRUN_PRESCAN_H
#define DT_SPANK_SRUN_SRUN_PRESCAN_H

#include "core/option/config.h"
#include "core/plan/srun_hint.h"

/* Tell each text of the option on srun's command line, where the program's own
 * arguments are taken for srun's; without one, what sbatch or salloc has handed
 * on (maybe nothing). */
void prescan_option(const struct config *config,
		    void (*each)(void *arg, const char *text), void *arg);

/* The same for the #SBATCH lines of the script that is on sbatch's command
 * line. One that comes by standard input isn't seen. */
void prescan_script_option(const struct config *config,
			   void (*each)(void *arg, const char *text),
			   void *arg);

/* Each word of the command line; each of that script's #SBATCH lines. */
void prescan_words(void (*each)(void *arg, const char *word), void *arg);
void prescan_script(void (*each)(void *arg, const char *word), void *arg);

/* What the command line and the environment say about the step. */
void prescan_step(struct srun_hint *ret);

#endif
