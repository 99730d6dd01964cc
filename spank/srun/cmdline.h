/* SPDX-License-Identifier: Apache-2.0 */
/*
 * srun's own command line, for what no function of SPANK tells: other options
 * than ours, and ours before Slurm has read it.
 */
#ifndef DT_SPANK_SRUN_CMDLINE_H
#define DT_SPANK_SRUN_CMDLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Whether a word of it may be this option, told without opening a file: none
 * begins with "--" and its first letter. True where that is unknown. */
bool cmdline_may_have(const char *option);

/* Open it; NULL where it can't be had. The caller closes it. */
FILE *cmdline_open(void);

/* The next word, cut to `size`. False behind the last. */
bool cmdline_next(FILE *f, char *ret, size_t size);

#endif
