/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/ranktable/table_report.h"

#include "core/base/parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const cJSON *value_find(const cJSON *object, const char *key)
{
	const cJSON *found = NULL;

	if (!cJSON_IsObject(object))
		return NULL;
	for (const cJSON *item = object->child; item; item = item->next)
		if (*item->string == *key && !strcmp(item->string, key))
			found = item;
	return found;
}

const char *value_type(const cJSON *value)
{
	if (cJSON_IsString(value))
		return "a text";
	if (cJSON_IsNumber(value))
		return "a number";
	if (cJSON_IsArray(value))
		return "an array";
	if (cJSON_IsObject(value))
		return "an object";
	return cJSON_IsNull(value) ? "null" : "true or false";
}

bool value_is_object(struct report *r, const struct where *at,
		     const cJSON *value)
{
	if (!cJSON_IsObject(value))
		report_where(r, at, CODE_KEY, "write { ... }",
			     "%s where an object is needed", value_type(value));
	return cJSON_IsObject(value);
}

static const cJSON *need(struct report *r, const struct where *at,
			 const cJSON *object, const char *key, bool needed)
{
	const struct where where = {.up = at, .key = key};
	const cJSON *value = value_find(object, key);

	if (!value && needed)
		report_where(r, &where, CODE_KEY, "add it", "is missing");
	return value;
}

const char *value_text(struct report *r, const struct where *at,
		       const cJSON *object, const char *key, bool needed)
{
	const struct where where = {.up = at, .key = key};
	const cJSON *value = need(r, at, object, key, needed);

	if (!value)
		return NULL;
	if (cJSON_IsString(value))
		return value->valuestring;
	report_where(r, &where, r->v2 ? CODE_NONE : CODE_KEY,
		     "put it in double quotes", "%s where a text is needed",
		     value_type(value));
	return NULL;
}

const cJSON *value_list(struct report *r, const struct where *at,
			const cJSON *object, const char *key)
{
	const struct where where = {.up = at, .key = key};
	const cJSON *value = value_find(object, key);

	if (!value) {
		report_where(r, &where, r->v2 ? CODE_KEY : CODE_NONE, "add it",
			     "is missing");
		return NULL;
	}
	if (!cJSON_IsArray(value)) {
		report_where(r, &where, r->v2 ? CODE_VALUE : CODE_NONE,
			     "write [ ... ]", "%s where an array is needed",
			     value_type(value));
		return NULL;
	}
	if (!value->child) {
		report_where(r, &where, CODE_NONE, "list at least one",
			     "an empty array");
		return NULL;
	}
	return value;
}

/* As std::stoull() into 32 bits: blanks and a sign before, anything after;
 * -1 wraps to a number that is too large. */
static int read_number(const char *text, uint32_t *ret)
{
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (end == text || errno || n > UINT32_MAX)
		return -1;
	*ret = (uint32_t)n;
	return 0;
}

/* The library has a code for these two only. */
static const char *number_code(const char *key)
{
	return strcmp(key, "rank_id") && strcmp(key, "super_device_id")
		       ? CODE_NONE
		       : CODE_VALUE;
}

int value_number(struct report *r, const struct where *at, const cJSON *object,
		 const char *key, bool needed, uint32_t min, uint32_t max,
		 uint32_t *ret)
{
	const struct where where = {.up = at, .key = key};
	const char *text = value_text(r, at, object, key, needed);
	char shown[SHOW_SIZE];
	bool is_number;
	uint32_t n;

	if (!text)
		return -1;
	is_number = read_number(text, &n) == 0;
	if (is_number && n >= min && n <= max) {
		*ret = n;
		return 0;
	}
	report_where(r, &where, is_number ? CODE_NONE : number_code(key),
		     *text ? "" : "leave the key out or write a number",
		     "%s is not a number from %u to %u", show(shown, text), min,
		     max);
	return -1;
}

/* In 2.0: limits of 32 bits for each key that is needed, narrower ones for
 * these two, have a code. */
static const char *integer_code(const char *key, bool needed, double value)
{
	bool wide = value < 0 || value > UINT32_MAX;

	return (needed && wide) || !strcmp(key, "rank_id") ||
			       !strcmp(key, "rank_count")
		       ? CODE_VALUE
		       : CODE_NONE;
}

int value_integer(struct report *r, const struct where *at, const cJSON *object,
		  const char *key, bool needed, uint32_t min, uint32_t max,
		  uint32_t *ret)
{
	const struct where where = {.up = at, .key = key};
	const cJSON *value = need(r, at, object, key, needed);

	if (!value)
		return -1;
	if (!cJSON_IsNumber(value)) {
		report_where(r, &where, CODE_NONE,
			     "version 2.0 has numbers without quotes",
			     "%s where a number is needed", value_type(value));
		return -1;
	}
	if (value->valuedouble < min || value->valuedouble > max ||
	    value->valuedouble != (uint32_t)value->valuedouble) {
		report_where(r, &where,
			     integer_code(key, needed, value->valuedouble), "",
			     "%g is not a whole number from %u to %u",
			     value->valuedouble, min, max);
		return -1;
	}
	*ret = (uint32_t)value->valuedouble;
	return 0;
}

void value_word(struct report *r, const struct where *at, const cJSON *object,
		const char *key, bool needed, const char *words)
{
	const struct where where = {.up = at, .key = key};
	const char *text = value_text(r, at, object, key, needed);
	char shown[SHOW_SIZE];

	if (text && !word_find(words, text, strlen(text), NULL))
		report_where(r, &where, CODE_NONE, "", "%s is not one of %s",
			     show(shown, text), words);
}
