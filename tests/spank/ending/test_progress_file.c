/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the integer of the key progress-file grows from life to life. */
#include "spank/ending/job_end.h"

#include "tests/fixtures/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/dist-train-progress-XXXXXX";
static char path[64], noted[80];
static char say[400];

static int enter(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/steps", folder);
	snprintf(noted, sizeof(noted), "%s.dist-train-7", path);
	return 0;
}

static int leave(void **state)
{
	(void)state;
	unlink(path);
	unlink(noted);
	return rmdir(folder);
}

static void put(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void begin(unsigned life)
{
	struct progress_file f = {path, 7, life};
	struct err err;

	assert_int_equal(progress_file_begin(&f, &err), 0);
}

static unsigned idle(unsigned life)
{
	struct progress_file f = {path, 7, life};

	return progress_file_idle(&f, say, sizeof(say));
}

static void grows(void **state)
{
	char text[16];

	(void)state;
	unlink(path);
	for (unsigned life = 0; life < 40; life++) {
		begin(life);
		snprintf(text, sizeof(text), "%u\n", life * 5);
		put(path, text);
		assert_int_equal(idle(life), 0);
	}
	assert_string_equal(say, "it is 195");
}

static void stands_still(void **state)
{
	(void)state;
	put(path, "10");
	for (unsigned life = 0; life < 3; life++) {
		begin(life);
		assert_int_equal(idle(life), life + 1);
	}
	put(path, "11"); /* once more */
	assert_int_equal(idle(2), 0);
	begin(3);
	assert_int_equal(idle(3), 1);
	put(path, "9"); /* that is none */
	assert_int_equal(idle(3), 1);
}

static void not_there(void **state)
{
	(void)state;
	unlink(path);
	for (unsigned life = 0; life < 3; life++) {
		begin(life);
		assert_int_equal(idle(life), life + 1);
	}
	assert_non_null(strstr(say, "No such file"));
	put(path, "0");
	assert_int_equal(idle(2), 0);
}

/* What somebody else has made of the file */
static void odd_files(void **state)
{
	static const char *const odd[] = {
		"", "x", "-1", "1.5", "9x", "\n3", "99999999999999999999"};
	char longer[100];

	(void)state;
	put(path, "10");
	begin(0);
	for (size_t i = 0; i < COUNT(odd); i++) {
		put(path, odd[i]);
		assert_case(odd[i], idle(0) == 1);
		assert_non_null(strstr(say, "integer"));
	}
	memset(longer, '1', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	put(path, longer);
	assert_int_equal(idle(0), 1);
	assert_non_null(strstr(say, "larger than 64 bytes"));
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(idle(0), 1);
	assert_non_null(strstr(say, "is a pipe, not a file"));
	unlink(path);
}

/* Others may write to its folder: links there are theirs. */
static void links_of_others(void **state)
{
	struct progress_file f = {path, 7, 0};
	char target[64], below[80];
	struct err err;

	(void)state;
	unlink(path);
	unlink(noted);
	snprintf(target, sizeof(target), "%s.own", folder);
	put(target, "7");
	assert_int_equal(chmod(folder, 0770), 0);
	assert_int_equal(symlink(target, path), 0);
	assert_int_equal(idle(0), 1);
	assert_non_null(strstr(say, "is a symbolic link in a folder that "
				    "others may write to"));
	unlink(path);
	assert_int_equal(symlink(target, noted), 0);
	put(path, "10");
	begin(0);
	assert_int_equal(access(noted, F_OK), 0);
	unlink(noted);
	put(target, "0 50\n");
	assert_int_equal(symlink(target, noted), 0);
	assert_int_equal(idle(0), 0); /* nothing is read of it */
	progress_file_end(&f);
	assert_int_equal(access(target, F_OK), 0);
	/* and a link in place of its folder */
	unlink(path);
	unlink(target);
	assert_int_equal(mkdir(target, 0700), 0);
	assert_int_equal(symlink(target, path), 0);
	snprintf(below, sizeof(below), "%s/steps", path);
	f.path = below;
	assert_int_equal(progress_file_begin(&f, &err), -1);
	assert_non_null(strstr(err.text, "is a symbolic link in a folder"));
	assert_int_equal(rmdir(target), 0);
	unlink(path);
	assert_int_equal(chmod(folder, 0700), 0);
}

/* A later step of a life; and a job of long ago with the same number. */
static void once_per_life(void **state)
{
	(void)state;
	put(noted, "0 900\n1 950\n2 990\n");
	put(path, "1");
	begin(0);
	put(path, "2");
	assert_int_equal(idle(0), 0);
	begin(1);
	put(path, "3");
	begin(1);
	assert_int_equal(idle(1), 0);
}

static void odd_notes(void **state)
{
	static const char *const odd[] = {
		"", "x", "0", "1 x", "-3 5", "99999999999999 1", "0 1"};

	(void)state;
	put(path, "10");
	for (size_t i = 0; i < COUNT(odd); i++) {
		put(noted, odd[i]);
		begin(2);
		assert_in_range(idle(2), 1, 2);
	}
	progress_file_end(&(struct progress_file){path, 7, 2});
	assert_int_equal(access(noted, F_OK), -1);
	assert_int_equal(idle(2), 0);
}

static void no_place(void **state)
{
	struct progress_file f = {"/proc/nowhere/steps", 7, 0};
	struct err err;

	(void)state;
	assert_int_equal(progress_file_begin(&f, &err), -1);
	assert_int_equal(progress_file_idle(&f, say, sizeof(say)), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grows),
		cmocka_unit_test(stands_still),
		cmocka_unit_test(not_there),
		cmocka_unit_test(odd_files),
		cmocka_unit_test(once_per_life),
		cmocka_unit_test(odd_notes),
		cmocka_unit_test(no_place),
		cmocka_unit_test(links_of_others),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
