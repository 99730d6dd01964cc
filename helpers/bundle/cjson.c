/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What our commands take of cJSON, for a program without libraries: few
 * distributions have a static one of it. They are declared in its own header.
 */
#include "sys/json_text.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
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

static cJSON *new_text(int type, const char *text)
{
	cJSON *item = new_item(type);

	if (item && !(item->valuestring = strdup(text))) {
		cJSON_Delete(item);
		return NULL;
	}
	return item;
}

cJSON *cJSON_CreateObject(void)
{
	return new_item(cJSON_Object);
}

cJSON *cJSON_CreateString(const char *string)
{
	return new_text(cJSON_String, string);
}

cJSON *cJSON_CreateNumber(double num)
{
	cJSON *item = new_item(cJSON_Number);

	if (item)
		item->valuedouble = num;
	return item;
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

/* The first one's `prev` is the last one. */
cJSON_bool cJSON_AddItemToArray(cJSON *array, cJSON *item)
{
	if (!array || !item)
		return false;
	item->prev = array->child ? array->child->prev : item;
	if (array->child)
		array->child->prev = item->prev->next = item;
	else
		array->child = item;
	return true;
}

/* Takes `item` over; NULL: there is none. */
static cJSON *add_member(cJSON *object, const char *name, cJSON *item)
{
	if (item && (item->string = strdup(name)) &&
	    cJSON_AddItemToArray(object, item))
		return item;
	cJSON_Delete(item);
	return NULL;
}

cJSON *cJSON_AddNullToObject(cJSON *const object, const char *const name)
{
	return add_member(object, name, new_item(cJSON_NULL));
}

cJSON *cJSON_AddBoolToObject(cJSON *const object, const char *const name,
			     const cJSON_bool boolean)
{
	return add_member(object, name,
			  new_item(boolean ? cJSON_True : cJSON_False));
}

cJSON *cJSON_AddNumberToObject(cJSON *const object, const char *const name,
			       const double number)
{
	return add_member(object, name, cJSON_CreateNumber(number));
}

cJSON *cJSON_AddStringToObject(cJSON *const object, const char *const name,
			       const char *const string)
{
	return add_member(object, name, new_text(cJSON_String, string));
}

cJSON *cJSON_AddObjectToObject(cJSON *const object, const char *const name)
{
	return add_member(object, name, new_item(cJSON_Object));
}

cJSON *cJSON_AddArrayToObject(cJSON *const object, const char *const name)
{
	return add_member(object, name, new_item(cJSON_Array));
}

/* --- printed --- */

static void put_text(FILE *f, const char *text)
{
	static const char plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";

	fputc('"', f);
	for (; *text; text++) {
		const char *at = strchr(plain, *text);

		if (at)
			fprintf(f, "\\%c", letter[at - plain]);
		else if ((unsigned char)*text < ' ')
			fprintf(f, "\\u%04x", (unsigned)*text);
		else
			fputc(*text, f);
	}
	fputc('"', f);
}

/* As short as it is the same number again. */
static void put_number(FILE *f, double number)
{
	char text[32];

	snprintf(text, sizeof(text), "%.15g", number);
	if (strtod(text, NULL) != number)
		snprintf(text, sizeof(text), "%.17g", number);
	fputs(isfinite(number) ? text : "null", f);
}

static void put_value(FILE *f, const cJSON *item)
{
	bool object = cJSON_IsObject(item);

	if (cJSON_IsString(item)) {
		put_text(f, item->valuestring);
	} else if (cJSON_IsNumber(item)) {
		put_number(f, item->valuedouble);
	} else if (object || cJSON_IsArray(item)) {
		fputc(object ? '{' : '[', f);
		for (const cJSON *c = item->child; c; c = c->next) {
			if (object) {
				put_text(f, c->string);
				fputc(':', f);
			}
			put_value(f, c);
			if (c->next)
				fputc(',', f);
		}
		fputc(object ? '}' : ']', f);
	} else {
		fputs(cJSON_IsTrue(item)   ? "true"
		      : cJSON_IsNull(item) ? "null"
					   : "false",
		      f);
	}
}

char *cJSON_PrintUnformatted(const cJSON *item)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	put_value(f, item);
	if (fclose(f) == 0)
		return text;
	free(text);
	return NULL;
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

/* A member of an object or array. */
static bool read_item(struct json_text *t, cJSON *into)
{
	cJSON *item = new_item(cJSON_Invalid);

	if (!item)
		return false;
	cJSON_AddItemToArray(into, item);
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
