/* SPDX-License-Identifier: Apache-2.0 */
/* cJSON's functions as the bundle has them: what is read is what was written.
 */
#include "tests/fixtures/unit.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static char *print(const cJSON *item)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	put_value(f, item);
	fclose(f);
	return text;
}

static void comes_out(const char *text, const char *expected)
{
	cJSON *item = cJSON_Parse(text);
	char *again = print(item);

	assert_non_null(item);
	assert_string_equal(again, expected);
	free(again);
	cJSON_Delete(item);
}

static void values(void **state)
{
	static const char *const same[] = {
		"{}",
		"[]",
		"null",
		"true",
		"false",
		"\"\"",
		"[[],{\"a\":[]}]",
		"0.1",
		"-1e-07",
		"4294967295",
		"{\"a\":1,\"b\":[1,\"x\",null,{\"a\":2}],\"a\":false}",
		"\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\xc3\xa9/\"",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
		comes_out(same[i], same[i]);
	comes_out("\xef\xbb\xbf [ 1 ,\n2.50 ]", "[1,2.5]");
	comes_out("\"\\u00e9\\ud83d\\ude00\\/\"",
		  "\"\xc3\xa9\xf0\x9f\x98\x80/\"");
	comes_out("0.30000000000000004", "0.30000000000000004");
}

static void wrong(void **state)
{
	static const char *const wrong[] = {
		"",	   "{",		  "[1",		"[1,]",
		"{\"a\"}", "{\"a\":}",	  "{a:1}",	"\"x",
		"\"\\x\"", "\"\\ud800\"", "tru",	"nothing",
		"-",	   "[1 2]",	  "{\"a\":1,}", "1e999",
	};
	char deep[CJSON_NESTING_LIMIT + 2] = "";

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_null(cJSON_Parse(wrong[i]));
	memset(deep, '[', sizeof(deep) - 1);
	assert_null(cJSON_Parse(deep));
}

/* A part of a text, and where it ends */
static void part(void **state)
{
	const char text[] = "[1,2]x";
	const char *end;
	cJSON *item = cJSON_ParseWithLengthOpts(text, 6, &end, 0);

	(void)state;
	assert_ptr_equal(end, text + 5);
	assert_int_equal(cJSON_GetArraySize(item), 2);
	assert_true(cJSON_GetArrayItem(item, 1)->valuedouble == 2);
	assert_null(cJSON_GetArrayItem(item, 2));
	assert_null(cJSON_GetArrayItem(item, -1));
	cJSON_Delete(item);
	assert_null(cJSON_ParseWithLength(text, 4));
}

static void members(void **state)
{
	cJSON *o = cJSON_Parse("{\"s\":\"x\",\"b\":true,\"l\":[1]}");
	cJSON *list = cJSON_GetObjectItemCaseSensitive(o, "l");

	(void)state;
	assert_true(cJSON_IsArray(list));
	assert_null(cJSON_GetObjectItemCaseSensitive(o, "L"));
	assert_null(cJSON_GetObjectItemCaseSensitive(NULL, "l"));
	assert_true(cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(o, "b")));
	assert_string_equal(cJSON_GetStringValue(cJSON_GetArrayItem(o, 0)),
			    "x");
	assert_null(cJSON_GetStringValue(list));
	cJSON_Delete(o);
	cJSON_Delete(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
		cmocka_unit_test(wrong),
		cmocka_unit_test(part),
		cmocka_unit_test(members),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
