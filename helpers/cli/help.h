/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `dist-train --help` `frameworks` and `dialects` print.
 */
#ifndef DT_HELPERS_CLI_HELP_H
#define DT_HELPERS_CLI_HELP_H

#include <stdbool.h>
#include <stdio.h>

/* Usage, frameworks, keys and the administrator's arguments. */
void help_print(FILE *f);

/* One entry for each framework, with what it was tested if that is asked for.
 */
void help_frameworks(FILE *f, bool tested);

/* One entry for each dialect, with the frameworks that it has. */
void help_dialects(FILE *f);

#endif
