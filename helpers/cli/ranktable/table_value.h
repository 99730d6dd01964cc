/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of a JSON document, taken as the collective library takes them: of
 * keys that are there twice the last counts, numbers in texts are read by
 * std::stoull(). What isn't as it should be is reported where it is.
 */
#ifndef DT_HELPERS_CLI_RANKTABLE_TABLE_VALUE_H
#define DT_HELPERS_CLI_RANKTABLE_TABLE_VALUE_H

#include "helpers/cli/ranktable/table_report.h"

#include <cjson/cJSON.h>
#include <stdint.h>

/* NULL when it isn't there, or `object` is no object. */
const cJSON *value_find(const cJSON *object, const char *key);

/* "a number", for messages. */
const char *value_type(const cJSON *value);

/* Whether the value is an object; reported where it isn't. */
bool value_is_object(struct report *r, const struct where *at,
		     const cJSON *value);

/* A text; NULL when it isn't there (reported if `needed`) or no text. */
const char *value_text(struct report *r, const struct where *at,
		       const cJSON *object, const char *key, bool needed);

/* An array with at least one element, or NULL, which is reported. */
const cJSON *value_list(struct report *r, const struct where *at,
			const cJSON *object, const char *key);

/* A number in a text, from min to max. Returns 0, or -1 (reported, but for a
 * key that isn't needed and isn't there). */
int value_number(struct report *r, const struct where *at, const cJSON *object,
		 const char *key, bool needed, uint32_t min, uint32_t max,
		 uint32_t *ret);

/* The same for a JSON integer. */
int value_integer(struct report *r, const struct where *at, const cJSON *object,
		  const char *key, bool needed, uint32_t min, uint32_t max,
		  uint32_t *ret);

/* A text that must be one of the blank-separated words. */
void value_word(struct report *r, const struct where *at, const cJSON *object,
		const char *key, bool needed, const char *words);

#endif
