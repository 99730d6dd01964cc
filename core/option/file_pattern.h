/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file name with fields, such as logs/%j/rank-%04r: which fields there may
 * be is checked where the option is read, in srun, sbatch and salloc; the
 * launcher puts the step's values in (helpers/output/log_file.c).
 */
#pragma once

#include "core/base/err.h"

/* %j job, %s step, %n the node's number in the step, %N its name, %r (or srun's
 * %t) the rank, %% a '%'. A number after the '%' pads with zeros. */
#define FILE_PATTERN_OF_NODE "jsnN%"
#define FILE_PATTERN_OF_RANK FILE_PATTERN_OF_NODE "rt"

struct file_pattern_field {
	char letter; /* '\0': the pattern ends after the '%' */
	int width;   /* at most 10; 0: as it is */
};

/* Read the field at `percent`, which is a '%'. Returns what follows it. */
const char *file_pattern_field(const char *percent,
			       struct file_pattern_field *ret);

/* Whether all fields of the pattern are among `letters` (FILE_PATTERN_OF_...).
 * `key` is for the error. Returns 0 or -1. */
int file_pattern_check(const char *key, const char *letters,
		       const char *pattern, struct err *err);
