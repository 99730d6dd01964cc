/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a command's output may have colours. */
#ifndef DT_HELPERS_CLI_COLOUR_H
#define DT_HELPERS_CLI_COLOUR_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Standard output is a terminal that knows them, and NO_COLOR isn't set
 * (no-color.org). */
static inline bool colour_wanted(void)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && (!no_color || !*no_color) &&
	       (!term || strcmp(term, "dumb") != 0);
}

#endif
