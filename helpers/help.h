/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `dist-train --help` and `dist-train frameworks` print.
 */
#ifndef DT_HELPERS_HELP_H
#define DT_HELPERS_HELP_H

#include <stdbool.h>
#include <stdio.h>

/* Usage, frameworks, keys and the administrator's arguments. */
void help_print(FILE *f);

/* One entry for each framework, with what it was tested if that is asked for.
 */
void help_frameworks(FILE *f, bool tested);

#endif
