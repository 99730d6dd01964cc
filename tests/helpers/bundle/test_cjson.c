/* SPDX-License-Identifier: Apache-2.0 */
/* cJSON's functions as the bundle has them: what goes in comes out. That their
 * output is the library's is seen by running both programs (exec.empty_root).
 */
#include "tests/fixtures/unit.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

static void comes_out(const char *text, const char *expected)
{
	cJSON *item = cJSON_Parse(text);
	char *again = cJSON_PrintUnformatted(item);

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
	comes_out("1e999", "null");
}

static void wrong(void **state)
{
	static const char *const wrong[] = {
		"",	    "{",       "[1",  "[1,]",	 "{\"a\"}",
		"{\"a\":}", "{a:1}",   "\"x", "\"\\x\"", "\"\\ud800\"",
		"tru",	    "nothing", "-",   "[1 2]",	 "{\"a\":1,}",
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

static void made(void **state)
{
	cJSON *o = cJSON_CreateObject(), *list;
	char *text;

	(void)state;
	cJSON_AddStringToObject(o, "s", "x\n");
	cJSON_AddNullToObject(o, "n");
	cJSON_AddBoolToObject(o, "b", 1);
	cJSON_AddNumberToObject(o, "d", 7);
	list = cJSON_AddArrayToObject(o, "l");
	assert_true(cJSON_AddItemToArray(list, cJSON_CreateNumber(1)));
	assert_true(cJSON_AddItemToArray(list, cJSON_CreateString("y")));
	assert_true(cJSON_AddItemToArray(list, cJSON_CreateObject()));
	cJSON_AddObjectToObject(o, "o");
	text = cJSON_PrintUnformatted(o);
	assert_string_equal(text,
			    "{\"s\":\"x\\n\",\"n\":null,\"b\":true,\"d\":7,"
			    "\"l\":[1,\"y\",{}],\"o\":{}}");
	free(text);
	assert_ptr_equal(cJSON_GetObjectItemCaseSensitive(o, "l"), list);
	assert_null(cJSON_GetObjectItemCaseSensitive(o, "L"));
	assert_true(cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(o, "b")));
	assert_null(cJSON_GetStringValue(list));
	assert_null(cJSON_AddNullToObject(NULL, "x"));
	cJSON_Delete(o);
	cJSON_Delete(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
		cmocka_unit_test(wrong),
		cmocka_unit_test(part),
		cmocka_unit_test(made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
