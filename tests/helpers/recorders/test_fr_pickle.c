/* SPDX-License-Identifier: Apache-2.0 */
/* Pickles of plain data, and what isn't taken. */
#include "helpers/recorders/fr_pickle.h"

#include "tests/fixtures/unit.h"

#define DATA(text) text, sizeof(text) - 1

static void plain_data(void **state)
{
	/* {'a': [1, -2, 300, 70000, 2**40, None, True, ('x', 'y')]} as Python
	 * writes it */
	static const char data[] =
		"\x80\x02}q\x00X\x01\x00\x00\x00"
		"aq\x01]q\x02(K\x01J\xfe\xff\xff\xffM,"
		"\x01Jp\x11\x01\x00\x8a\x06"
		"\x00\x00\x00\x00\x00\x01N\x88X\x01\x00\x00\x00xq\x03X\x01\x00"
		"\x00\x00yq\x04\x86q\x05"
		"es.";
	static const int64_t numbers[] = {1, -2, 300, 70000, 1LL << 40};
	struct err err;
	struct pickle *p = pickle_read(DATA(data), &err);
	const struct pickle_value *list;
	char text[8];

	(void)state;
	assert_non_null(p);
	list = pickle_get(pickle_root(p), "a");
	assert_int_equal(list->n, 8);
	for (size_t i = 0; i < COUNT(numbers); i++)
		assert_int_equal(pickle_number(pickle_at(list, i), 0),
				 numbers[i]);
	assert_int_equal(pickle_at(list, 5)->kind, PICKLE_NONE);
	assert_int_equal(pickle_number(pickle_at(list, 6), 0), 1);
	assert_string_equal(pickle_text(pickle_at(pickle_at(list, 7), 1), text,
					sizeof(text)),
			    "y");
	assert_null(pickle_at(list, 8));
	assert_null(pickle_get(pickle_root(p), "b"));
	pickle_free(p);
}

static void memory_is_shared(void **state)
{
	/* x = ['a']; [x, x] */
	struct err err;
	struct pickle *p = pickle_read(
		DATA("\x80\x02](]q\x01X\x01\x00\x00\x00\x61\x61h\x01\x65."),
		&err);
	const struct pickle_value *root;

	(void)state;
	assert_non_null(p);
	root = pickle_root(p);
	assert_int_equal(root->n, 2);
	assert_ptr_equal(root->item[0], root->item[1]);
	pickle_free(p);
}

static void what_is_refused(void **state)
{
	static const struct {
		const char *what;
		const char *data;
		size_t size;
		const char *says;
	} cases[] = {
		{"a call", DATA("\x80\x02\x63os\nsystem\n."), "0x63 at 2"},
		{"an object", DATA("\x80\x02}R."), "0x52 at 3"},
		{"nothing", DATA(""), "without an end"},
		{"no end", DATA("\x80\x02}"), "without an end"},
		{"protocol 4", DATA("\x80\x04}."), "0x80 at 0"},
		{"two values", DATA("\x80\x02}}."), "0x2e at 4"},
		{"only a mark", DATA("\x80\x02(."), "0x2e at 3"},
		{"a long text", DATA("\x80\x02X\xff\xff\xff\xff."),
		 "0x58 at 2"},
		{"a cut argument", DATA("\x80\x02J\x01"),
		 "in the middle, at 2"},
		{"a long long",
		 DATA("\x80\x02\x8a\x09"
		      "123456789."),
		 "0x8a at 2"},
		{"no mark", DATA("\x80\x02]e."), "0x65 at 3"},
		{"an odd dict", DATA("\x80\x02}(Nu."), "0x75 at 5"},
		{"a list as dict", DATA("\x80\x02]NNs."), "0x73 at 5"},
		{"an empty memo", DATA("\x80\x02h\x07."), "0x68 at 2"},
		{"a wide memo", DATA("\x80\x02}r\xff\xff\xff\x7f."),
		 "0x72 at 3"},
		{"a tuple of nothing", DATA("\x80\x02N\x86."), "0x86 at 3"},
		{"a tuple of a mark", DATA("\x80\x02(N\x86."), "0x86 at 4"},
	};
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_case(cases[i].what,
			    !pickle_read(cases[i].data, cases[i].size, &err));
		assert_case(cases[i].what, strstr(err.text, cases[i].says));
	}
}

/* A small file that stands for a large memory. */
static void too_much(void **state)
{
	char *data = repeated('N', PICKLE_VALUES_MAX + 2);
	struct err err;

	(void)state;
	assert_null(pickle_read(data, PICKLE_VALUES_MAX + 2, &err));
	assert_non_null(strstr(err.text, "too large"));
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_data),
		cmocka_unit_test(memory_is_shared),
		cmocka_unit_test(what_is_refused),
		cmocka_unit_test(too_much),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
