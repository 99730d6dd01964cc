/* SPDX-License-Identifier: Apache-2.0 */
/* What an arbiter is given in a fuzz target, with the rules for its calls. */
#pragma once

#include "tests/fuzz/fuzz.h"

#include <stdbool.h>

/* Whole lines, or "". */
static inline void says(void *arg, const char *line)
{
	(void)arg;
	RULE(!*line || line[strlen(line) - 1] == '\n');
}

/* Only a failure is asked about. */
static inline bool restarts(const void *arg, int code)
{
	(void)arg;
	RULE(code >= 1 && code <= 255);
	return code % 2;
}
