/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON as every command prints it: one object without blanks, whose first
 * member is "schema", and a newline after it. doc/json.md has the members of
 * each command; a member that goes or changes its meaning raises the number.
 */
#ifndef DT_HELPERS_CLI_JSON_PRINT_H
#define DT_HELPERS_CLI_JSON_PRINT_H

#include "core/base/err.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

#define JSON_SCHEMA 1

/* Where an object is printed piece by piece: its begin, without a comma. */
#define JSON_BEGIN "{\"schema\":1"

/* For a variable that owns what it points to. */
static inline void cleanup_json_fn(cJSON **json)
{
	cJSON_Delete(*json);
}

#define cleanup_json __attribute__((cleanup(cleanup_json_fn)))

/* A new object with its schema number; the caller's. NULL: out of memory. */
cJSON *json_new(void);

/* Print `json` (any value, or NULL: it couldn't be made) with a newline. Fails
 * when out of memory. */
int json_print(FILE *f, const cJSON *json, struct err *err);

/* The same as a member, which `to` owns. */
cJSON *json_add_new(cJSON *to, const char *name);

/* A new object at the end of `array`, which owns it; NULL: out of memory. */
cJSON *json_append(cJSON *array);

/* A text or a number at its end. False: out of memory. */
bool json_append_text(cJSON *array, const char *text);
bool json_append_number(cJSON *array, double number);

/* Add a member. A NULL text becomes null. False: out of memory. */
bool json_add_text(cJSON *to, const char *name, const char *text);
bool json_add_number(cJSON *to, const char *name, double number);

/* Milliseconds as seconds, to the microsecond. */
bool json_add_ms(cJSON *to, const char *name, double ms);

/* What isn't so has no member. */
bool json_add_flag(cJSON *to, const char *name, bool is);

/* Add an array of texts, cut from `list` at each `separator`; "" is none. */
bool json_add_list(cJSON *to, const char *name, const char *list,
		   char separator);

/* Whether a command line asks for JSON: --json before "--" and before a word
 * from which on the words are another program's (srun). */
bool json_wanted(int argc, char *const argv[]);

/* {"schema":1,"error":"..."}, for a command that has printed nothing. */
void json_print_error(FILE *f, const char *text);

#endif
