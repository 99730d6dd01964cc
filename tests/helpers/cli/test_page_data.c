/* SPDX-License-Identifier: Apache-2.0 */
/* The data of a page: a text of anybody's stays a text of its JSON. */
#include "helpers/cli/json_print.h"
#include "helpers/cli/picture.h"
#include "sys/text_file.h"

#include "tests/fixtures/unit.h"

#include <cjson/cJSON.h>
#include <unistd.h>

#define BEGIN "<script type=\"application/json\" id=\"data\">"

static void put_x(struct json *j, const void *text)
{
	json_add(j, "x:%s", (const char *)text);
}

/* What the page of {"schema":1,"x":TEXT} has between the marks of x; to free.
 */
static char *embedded(const char *text)
{
	char path[] = "/tmp/test_page_data.XXXXXX", *page, *from, *to;
	int fd = mkstemp(path);
	struct err err = {""};

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(page_write(path, put_x, text, &err), 0);
	page = text_stream_read(path, 1 << 20, &err);
	unlink(path);
	assert_non_null(page);
	from = strstr(page, BEGIN);
	assert_non_null(from);
	from += strlen(BEGIN);
	to = strstr(from, "</script>");
	assert_non_null(to);
	*to = '\0';
	from = strdup(from);
	free(page);
	return from;
}

static void stays_data(const char *text, const char *wanted)
{
	char *json = embedded(text), all[256];
	cJSON *o = cJSON_Parse(json);

	snprintf(all, sizeof(all), "{\"schema\":1,\"x\":\"%s\"}", wanted);
	assert_string_equal(json, all);
	assert_non_null(o);
	cJSON_Delete(o);
	free(json);
}

static void markup(void **state)
{
	(void)state;
	stays_data("plain, with ' and /", "plain, with ' and /");
	stays_data("</script><script>alert(1)",
		   "\\u003c/script\\u003e\\u003cscript\\u003ealert(1)");
	stays_data("<!-- <script", "\\u003c!-- \\u003cscript");
	stays_data("&lt; &amp;", "\\u0026lt; \\u0026amp;");
	stays_data("]]> \"'\\", "]]\\u003e \\\"'\\\\");
}

static void lines(void **state)
{
	(void)state;
	stays_data("a\nb\r\x1b[2J\x7f", "a\\nb\\r\\u001b[2J\\u007f");
	stays_data("\xe2\x80\xa8|\xe2\x80\xa9|\xe2\x80\xaa",
		   "\\u2028|\\u2029|\xe2\x80\xaa");
}

static void bytes(void **state)
{
	(void)state;
	stays_data("\xff<\xc2", "\\ufffd\\u003c\\ufffd");
	stays_data("\xe2\x80\"", "\\ufffd\\ufffd\\\"");
	stays_data("\xed\xa0\x80", "\\ufffd\\ufffd\\ufffd");  /* a surrogate */
	stays_data("\xc0\xbcscript", "\\ufffd\\ufffdscript"); /* a long '<' */
	stays_data("\xe6\x97\xa5\xf0\x9f\x98\x80",
		   "\xe6\x97\xa5\xf0\x9f\x98\x80");
}

static void names(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(page_check("why", NULL, false, &err), 0);
	assert_int_equal(page_check("why", "-", false, &err), 0);
	assert_int_equal(page_check("why", "a.html", false, &err), 0);
	assert_int_equal(page_check("why", "a.svg", false, &err), -1);
	assert_string_equal(err.text,
			    "why: what -o writes is a page for a browser: its "
			    "name must end in .html, or be - for standard "
			    "output");
	assert_int_equal(page_check("why", NULL, true, &err), 0);
	assert_int_equal(page_check("why", "a.html", true, &err), -1);
	assert_non_null(strstr(err.text, "give one of them"));
	assert_int_equal(page_write("/nowhere/x.html", put_x, "", &err), -1);
	assert_non_null(strstr(err.text, "/nowhere/x.html"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(markup),
		cmocka_unit_test(lines),
		cmocka_unit_test(bytes),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
