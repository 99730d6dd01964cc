/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What our commands take of cJSON, to read, for a program without libraries:
 * few distributions have a static one of it. They are declared in its own
 * header.
 */
#include "sys/json_text.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define KIND(item) ((item) ? (item)->type & 0xff : cJSON_Invalid)

/* --- one value --- */

static cJSON *new_item(int type)
{
	cJSON *item = calloc(1, sizeof(*item));

	if (item)
		item->type = type;
	return item;
}

void cJSON_Delete(cJSON *item)
{
	while (item) {
		cJSON *next = item->next;

		cJSON_Delete(item->child);
		free(item->valuestring);
		free(item->string);
		free(item);
		item = next;
	}
}

cJSON_bool cJSON_IsTrue(const cJSON *const item)
{
	return KIND(item) == cJSON_True;
}

cJSON_bool cJSON_IsNull(const cJSON *const item)
{
	return KIND(item) == cJSON_NULL;
}

cJSON_bool cJSON_IsNumber(const cJSON *const item)
{
	return KIND(item) == cJSON_Number;
}

cJSON_bool cJSON_IsString(const cJSON *const item)
{
	return KIND(item) == cJSON_String;
}

cJSON_bool cJSON_IsArray(const cJSON *const item)
{
	return KIND(item) == cJSON_Array;
}

cJSON_bool cJSON_IsObject(const cJSON *const item)
{
	return KIND(item) == cJSON_Object;
}

char *cJSON_GetStringValue(const cJSON *const item)
{
	return cJSON_IsString(item) ? item->valuestring : NULL;
}

/* --- arrays and objects --- */

int cJSON_GetArraySize(const cJSON *array)
{
	int n = 0;

	for (const cJSON *item = array ? array->child : NULL; item;
	     item = item->next)
		n++;
	return n;
}

cJSON *cJSON_GetArrayItem(const cJSON *array, int index)
{
	cJSON *item = array && index >= 0 ? array->child : NULL;

	while (item && index--)
		item = item->next;
	return item;
}

cJSON *cJSON_GetObjectItemCaseSensitive(const cJSON *const object,
					const char *const string)
{
	cJSON *item = object ? object->child : NULL;

	while (item && (!item->string || strcmp(item->string, string) != 0))
		item = item->next;
	return item;
}

/* --- read --- */

static bool read_value(struct json_text *t, cJSON *into);

/* A text in quotes; NULL: it is wrong, or out of memory. */
static char *read_text(struct json_text *t)
{
	struct json_text end = *t;
	char *text;
	size_t size;

	if (!json_text_string(&end, NULL, 0))
		return NULL;
	size = (size_t)(end.at - t->at); /* with the quotes: never longer */
	text = malloc(size);
	if (text)
		json_text_string(t, text, size);
	return text;
}

/* The first one's `prev` is the last one. */
static void append(cJSON *into, cJSON *item)
{
	cJSON *first = into->child;

	item->prev = first ? first->prev : item;
	if (first)
		first->prev = item->prev->next = item;
	else
		into->child = item;
}

/* A member of an object or array. */
static bool read_item(struct json_text *t, cJSON *into)
{
	cJSON *item = new_item(cJSON_Invalid);

	if (!item)
		return false;
	append(into, item);
	if (cJSON_IsArray(into))
		return read_value(t, item);
	item->string = read_text(t);
	return item->string && json_text_take(t, ':') && read_value(t, item);
}

static bool read_items(struct json_text *t, cJSON *into)
{
	char end = cJSON_IsArray(into) ? ']' : '}';
	bool good;

	if (json_text_take(t, end))
		return true;
	if (++t->depth > CJSON_NESTING_LIMIT)
		return false;
	do
		good = read_item(t, into);
	while (good && json_text_take(t, ','));
	t->depth--;
	return good && json_text_take(t, end);
}

static bool read_value(struct json_text *t, cJSON *into)
{
	char c = json_text_next(t);

	if (c == '"') {
		into->type = cJSON_String;
		into->valuestring = read_text(t);
		return into->valuestring;
	}
	into->type = c == '{'	? cJSON_Object
		     : c == '[' ? cJSON_Array
		     : c == 't' ? cJSON_True
		     : c == 'f' ? cJSON_False
		     : c == 'n' ? cJSON_NULL
				: cJSON_Number;
	if (json_text_take(t, '{') || json_text_take(t, '['))
		return read_items(t, into);
	if (into->type == cJSON_Number)
		into->valuedouble = strtod(t->at, NULL);
	return json_text_skip(t);
}

cJSON *cJSON_ParseWithLengthOpts(const char *value, size_t buffer_length,
				 const char **return_parse_end,
				 cJSON_bool require_null_terminated)
{
	char *copy = strndup(value, buffer_length);
	cJSON *item = copy ? new_item(cJSON_Invalid) : NULL;
	bool bom = copy && !strncmp(copy, "\xef\xbb\xbf", 3);
	struct json_text t = {.at = bom ? copy + 3 : copy};

	(void)require_null_terminated; /* nobody asks for it */
	if (item && !read_value(&t, item)) {
		cJSON_Delete(item);
		item = NULL;
	}
	if (return_parse_end)
		*return_parse_end = copy ? value + (t.at - copy) : value;
	free(copy);
	return item;
}

cJSON *cJSON_ParseWithLength(const char *value, size_t buffer_length)
{
	return cJSON_ParseWithLengthOpts(value, buffer_length, NULL, false);
}

cJSON *cJSON_Parse(const char *value)
{
	return cJSON_ParseWithLength(value, strlen(value));
}
