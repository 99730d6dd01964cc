/* SPDX-License-Identifier: Apache-2.0 */
/* Dumps that aren't what they say, and what a reader may print of them. */
#include "helpers/recorders/fr_read.h"

#include "helpers/sample/tools.h"
#include "tests/fixtures/unit.h"

#include <limits.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIMIT_MS   30000
#define DATA(text) text, sizeof(text) - 1
#define WRITES_FILE                                                            \
	"\x80\x02"                                                             \
	"cos\nsystem\n(X\x11\0\0\0touch test_fr.rantR."
#define GROUPS_DUMP                                                            \
	"\x80\x02}(X\x07\0\0\0versionX\x03\0\0\0"                              \
	"2.9u."

static char python[PATH_MAX];

/* Its rows, or NULL with what is wrong; freed by the caller. */
static char *read_data(const char *reader, const char *data, size_t size,
		       long ms, struct err *err)
{
	int fd = memfd_create("dump", MFD_CLOEXEC), rc;
	char *rows = NULL;
	size_t n;
	FILE *f = open_memstream(&rows, &n);

	assert_true(fd >= 0 && f);
	assert_true(write(fd, data, size) == (ssize_t)size);
	rc = fr_read(reader, fd, 3, ms, f, err);
	fclose(f);
	close(fd);
	if (rc == 0)
		return rows;
	assert_int_equal(n, 0);
	free(rows);
	return NULL;
}

static void an_empty_dump(void **state)
{
	struct err err;
	char *rows = read_data(python, DATA(GROUPS_DUMP), LIMIT_MS, &err);

	(void)state;
	assert_non_null(rows);
	assert_string_equal(rows, "dump\t3\t0\t0\n");
	free(rows);
}

static void what_is_refused(void **state)
{
	static const struct {
		const char *what, *data;
		size_t size;
		const char *says;
	} cases[] = {
		{"a call", DATA(WRITES_FILE), "it isn't plain data"},
		{"a class of protocol 4",
		 DATA("\x80\x04\x8c\x02os\x8c\x06system\x93."),
		 "it isn't plain data"},
		{"an instance", DATA("(ios\nsystem\n."), "it isn't plain data"},
		{"an extension", DATA("\x80\x02\x82\x01."),
		 "it isn't plain data"},
		{"a persistent id", DATA("\x80\x02}Q."), ""},
		{"nothing", DATA(""), ""},
		{"no end", DATA("\x80\x02}"), ""},
		{"an odd dict", DATA("\x80\x02}(Nu."), ""},
		{"another dump", DATA("\x80\x02}."), "no dump of a Flight"},
		{"no dict", DATA("\x80\x02]."), "no dump of a Flight"},
		/* a small file that stands for a large memory */
		{"a wide memo", DATA("\x80\x02}r\xff\xff\xff\xff."), ""},
		{"a long text",
		 DATA("\x80\x04\x8d\xff\xff\xff\xff\xff\xff\0\0x."), ""},
	};
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		err.text[0] = '\0';
		assert_case(cases[i].what,
			    !read_data(python, cases[i].data, cases[i].size,
				       LIMIT_MS, &err));
		assert_case(cases[i].what,
			    *err.text && strstr(err.text, cases[i].says));
	}
	assert_int_equal(access("test_fr.ran", F_OK), -1);
}

/* Readers that aren't Python: one hangs, one isn't there. */
static void other_readers(void **state)
{
	static const char hangs[] = "#!/bin/sh\nexec sleep 60\n";
	char name[] = "test_fr_read.XXXXXX";
	struct err err;
	int fd = mkstemp(name);

	(void)state;
	assert_true(fd >= 0 && write(fd, DATA(hangs)) > 0);
	assert_int_equal(fchmod(fd, 0700), 0);
	close(fd);
	assert_null(read_data(name, DATA(GROUPS_DUMP), 300, &err));
	unlink(name);
	assert_null(read_data("/nowhere", DATA(GROUPS_DUMP), LIMIT_MS, &err));
	assert_string_equal(err.text, "its reader says nothing");
}

static void what_it_prints(void **state)
{
	static const struct {
		const char *what, *text, *rows; /* NULL: it is refused */
	} cases[] = {
		{"rows", "dump\t3\t9\t0\ngroup\t3\ta\tb\t\t1\t2\n",
		 "dump\t3\t9\t0\ngroup\t3\ta\tb\t\t1\t2\n"},
		{"colours", "group\t3\t\033[31m\tb\t\t1\t2\n",
		 "group\t3\t?[31m\tb\t\t1\t2\n"},
		{"nothing", "", NULL},
		{"another rank", "dump\t4\t9\t0\n", NULL},
		{"another row", "dump\t3\t9\t0\nkept\t3\t/etc\t1\n", NULL},
		{"too few", "group\t3\ta\n", NULL},
		{"too many", "dump\t3\t9\t0\t1\n", NULL},
		{"a refusal", "dump\t3\t9\t0\nrefused\tno\n", NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *text = strdup(cases[i].text), *rows = NULL;
		size_t n;
		struct err err;
		FILE *f = open_memstream(&rows, &n);
		int rc = fr_rows(text, 3, f, &err);

		fclose(f);
		assert_case(cases[i].what, (rc == 0) == !!cases[i].rows);
		assert_case(cases[i].what,
			    !strcmp(rows, cases[i].rows ? cases[i].rows : ""));
		free(text);
		free(rows);
	}
}

static void wholeness(void **state)
{
	(void)state;
	assert_true(fr_is_whole(DATA(GROUPS_DUMP)));
	assert_false(fr_is_whole(GROUPS_DUMP, sizeof(GROUPS_DUMP) - 2));
	assert_false(fr_is_whole("", 0));
	assert_false(fr_is_whole(DATA("\x80.")));
	assert_false(fr_is_whole(DATA("{\"a\": 1.")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_dump),
		cmocka_unit_test(what_is_refused),
		cmocka_unit_test(other_readers),
		cmocka_unit_test(what_it_prints),
		cmocka_unit_test(wholeness),
	};

	if (program_path("python3", 0, python, sizeof(python)) < 0)
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
