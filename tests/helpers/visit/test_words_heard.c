/* SPDX-License-Identifier: Apache-2.0 */
/* A user's own program may answer in a launcher's place, and a command of
 * root's hear it. */
#include "helpers/visit/visitor.h"

#include "helpers/conn/message.h"

#include "tests/fixtures/unit.h"

static struct words_heard heard;

/* NULL: it isn't heard. */
static void is_heard(char type, const char *text, const char *as)
{
	struct err err;
	char *copy;

	assert_int_equal(
		words_heard_take(&heard, type, text, strlen(text), &copy, &err),
		0);
	if (as) {
		assert_non_null(copy);
		assert_string_equal(copy, as);
	} else {
		assert_null(copy);
	}
	free(copy);
}

/* Rows keep their tabs and lines, a node's name and a reason have none. */
static void only_text(void **state)
{
	(void)state;
	words_heard_begin(&heard, 2);
	is_heard(MSG_SHOW,
		 "0 n\033[2J\t\n"
		 "frame\tf\033]0;x\a\tb.py\n"
		 "n\xc3\xa4me\t\xc2\x9b\n",
		 "0 n?[2J?\n"
		 "frame\tf?]0;x?\tb.py\n"
		 "n\xc3\xa4me\t??\n");
	is_heard(MSG_SHOW, "1 no rows\033", "1 no rows?");
	is_heard(MSG_SILENT, "2 n\r\n\033c", "2 n???c");
	is_heard(MSG_SHOWN, "why\n\033[31mnot", "why??[31mnot");
	is_heard(MSG_ABSENT, "3", "3");
}

static void once(void **state)
{
	(void)state;
	words_heard_begin(&heard, 2);
	is_heard(MSG_SHOW, "7 n\nrank\n", "7 n\nrank\n");
	is_heard(MSG_SHOW, "7 n\nrank\n", NULL);
	is_heard(MSG_SILENT, "7 n", NULL);
	is_heard(MSG_SHOW, "8 n\n", "8 n\n");
	is_heard(MSG_SILENT, "9 n", "9 n");
	is_heard(MSG_SHOW, "-1 n\n", NULL);
	is_heard(MSG_SHOW, "x n\n", NULL);
	is_heard(MSG_SHOW, "1048575 n\n", "1048575 n\n");
	is_heard(MSG_SHOW, "1048576 n\n", NULL);
	is_heard(MSG_SHOW, "99999999999 n\n", NULL);
	words_heard_begin(&heard, 2);
	is_heard(MSG_SHOW, "7 n\n", "7 n\n");
}

/* Each launcher at its most is heard, and not for ever. */
static void so_much(void **state)
{
	static const unsigned nnodes = 1000;
	char *copy;
	unsigned i = 0;
	struct err err;
	int rc = 0;

	(void)state;
	words_heard_begin(&heard, nnodes);
	for (; i < 10 * nnodes && rc == 0; i++) {
		rc = words_heard_take(&heard, MSG_SHOW, "0 n\n", SIGHT_MAX,
				      &copy, &err);
		free(copy);
	}
	assert_int_equal(rc, -1);
	assert_in_range(i, nnodes, 2 * nnodes);
	assert_non_null(strstr(err.text, "tells more than"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_text),
		cmocka_unit_test(once),
		cmocka_unit_test(so_much),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
