/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of the program as JSON (doc/json.md). Each prints one object and
 * returns 0, or -1 when out of memory.
 */
#ifndef DT_HELPERS_CLI_WORDS_JSON_H
#define DT_HELPERS_CLI_WORDS_JSON_H

#include "core/base/err.h"

#include <stdio.h>

int json_frameworks(FILE *f, struct err *err);
int json_keys(FILE *f, struct err *err);
int json_dialects(FILE *f, struct err *err);
int json_version(FILE *f, const char *version, struct err *err);

#endif
