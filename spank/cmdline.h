/* SPDX-License-Identifier: Apache-2.0 */
/*
 * srun's own command line, for what no function of SPANK tells: other options
 * than ours, and ours before Slurm has read it.
 */
#ifndef DT_SPANK_CMDLINE_H
#define DT_SPANK_CMDLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Open it; NULL where it can't be had. The caller closes it. */
FILE *cmdline_open(void);

/* The next word, cut to `size`. False behind the last. */
bool cmdline_next(FILE *f, char *ret, size_t size);

#endif
