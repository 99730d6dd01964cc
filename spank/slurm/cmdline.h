/* SPDX-License-Identifier: Apache-2.0 */
/*
 * srun's own command line, for what SPANK doesn't provide: other options
 * than ours, and our option before Slurm has read it.
 */
#pragma once

#include "core/base/err.h"
#include "core/option/config.h"

#include <slurm/spank.h>
#include <stdbool.h>

extern char **srun_words; /* NULL: they aren't known */

/* Whether a word may be this option: whether any begins with "--" and the
 * option's first letter. Opens no file. True when the words aren't known. */
bool cmdline_may_have(const char *option);

/* Whether this srun starts salloc's shell on a node (LaunchParameters of
 * slurm.conf has use_interactive_step): --interactive is a first option. */
bool cmdline_is_interactive(void);

/* In slurm_spank_init_post_opt of srun: whether one of its own options, which
 * getopt() has just read, is --async (Slurm 26.05). No hook is called in such
 * an srun when the step exists: it has left. False when the words aren't known.
 */
bool cmdline_is_async(void);

/* All words, also the program's. They are read once, and stay until the plugin
 * is unloaded. Empty when they can't be read. */
char **cmdline_words(void);

/* Whether a word begins with `text`. */
bool cmdline_has(const char *text);

/* Whether a word, or srun's variable for it, is --task-prolog. */
bool cmdline_has_task_prolog(void);

/* Fails where the launcher can't be put before the step's tasks: before Slurm
 * 23.11 those of --multi-prog, which only the command line shows. */
int cmdline_check_multi_prog(struct err *err);

/* The value of this option where the command line has nothing else; NULL
 * otherwise, and when the words aren't known. */
const char *cmdline_only(const char *option);

/* What --export says, "ALL,NAME=VALUE": on the command line, else in srun's
 * variable for it; "" without one. */
const char *cmdline_export(void);

/* Say, once, if a word is this option where Slurm has taken none: it stands
 * behind the program, which may really have such an option. Nothing is said if
 * another command that may have it stands before it, or the words aren't known.
 * Opens no file. */
void cmdline_say_stray(const char *option);

/*
 * The option of a job: sbatch and salloc leave it in a variable, which each
 * srun of the script or of salloc's shell reads. Slurm sets and reads that
 * variable (src/common/spank.c, in older releases plugstack.c) wherever it
 * travels; it is meant for these sruns alone.
 */

/* In a client: the text in its environment, not a copy of it, or NULL. */
const char *job_option_text(const struct config *config);

/* In sbatch and salloc, before they read their options: what they find inside
 * a job is that job's, and not the new one's. */
void job_option_forget(const struct config *config);

/* In slurmstepd, before the tasks of an srun's step are: what they submit or
 * start has the option only by its own words. */
void job_option_hide(spank_t sp, const struct config *config);
