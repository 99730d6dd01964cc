/* SPDX-License-Identifier: Apache-2.0 */
/* JSON as it is written: what cJSON reads of it, and its bytes. */
#include "helpers/cli/json_print.h"

#include "tests/fixtures/unit.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>

static char *text;
static size_t size;
static struct json j;
static const char *volatile none; /* NULL */

static int begin(void **state)
{
	(void)state;
	j = json_begin(open_memstream(&text, &size));
	return j.f ? 0 : -1;
}

/* What has been written is that, behind the schema. */
static void is(const char *wanted)
{
	char all[512];
	cJSON *o;

	json_end(&j);
	fclose(j.f);
	snprintf(all, sizeof(all), "{\"schema\":1%s}\n", wanted);
	assert_string_equal(text, all);
	o = cJSON_Parse(text);
	assert_non_null(o);
	cJSON_Delete(o);
	free(text);
}

static void values(void **state)
{
	(void)state;
	json_add(&j, "a:%s b:%c c:%d d:%u e:%lu f:%zu g:%i h:%i", "t", 'S', -1,
		 3U, 7UL, sizeof(char), true, false);
	json_add(&j, "n:%s x:%g", none, NAN);
	is(",\"a\":\"t\",\"b\":\"S\",\"c\":-1,\"d\":3,\"e\":7,\"f\":1,"
	   "\"g\":true,\"h\":false,\"n\":null,\"x\":null");
}

static void numbers(void **state)
{
	(void)state;
	json_add(&j, "a:%g b:%g c:%g d:%f e:%f f:%g g:%lu h:%g", 0.1,
		 85899345920.0, 1764342000.123, 1.23456789, -1e-9, 1.0 / 3,
		 1767189312000000000UL, 5123456789012.346);
	is(",\"a\":0.1,\"b\":85899345920,\"c\":1764342000.123,"
	   "\"d\":1.234568,\"e\":0,\"f\":0.3333333333333333,"
	   "\"g\":1767189312000000000,\"h\":5123456789012.346");
}

/* What says nothing isn't there. */
static void maybe(void **state)
{
	(void)state;
	json_add(&j, "a?:%s b?:%s c?:%d d?:%u e?:%g f?:%i", "", none, -1, 0U,
		 NAN, false);
	json_add(&j, "a?:%s c?:%d d?:%u e?:%g f?:%i", "x", 0, 1U, 0.0, true);
	is(",\"a\":\"x\",\"c\":0,\"d\":1,\"e\":0,\"f\":true");
}

static void nested(void **state)
{
	(void)state;
	json_add(&j, "a:[");
	for (int i = 0; i < 2; i++)
		json_add(&j, "{n:%d l:[%s %s] o:{}}", i, "p", "q");
	json_add(&j, "] b:{c:[] d:%d}", 1);
	json_open(&j, "e", '[');
	json_line(&j);
	json_add(&j, "{}");
	json_line(&j);
	json_add(&j, "%d]", 2);
	json_list(&j, "f", "x\ny\n", '\n');
	json_text(&j, "g", "");
	json_number(&j, "h", 2);
	is(",\"a\":[{\"n\":0,\"l\":[\"p\",\"q\"],\"o\":{}},"
	   "{\"n\":1,\"l\":[\"p\",\"q\"],\"o\":{}}],"
	   "\"b\":{\"c\":[],\"d\":1},\"e\":[\n{},\n2],"
	   "\"f\":[\"x\",\"y\"],\"g\":\"\",\"h\":2");
}

static void escapes(void **state)
{
	(void)state;
	json_text(&j, "a\"", "\"\\/\b\f\n\r\t\x01\x1f\xc3\xa9%s:{");
	is(",\"a\\\"\":\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f"
	   "\xc3\xa9%s:{\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(values, begin),
		cmocka_unit_test_setup(numbers, begin),
		cmocka_unit_test_setup(maybe, begin),
		cmocka_unit_test_setup(nested, begin),
		cmocka_unit_test_setup(escapes, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
