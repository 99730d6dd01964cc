/* SPDX-License-Identifier: Apache-2.0 */
/* What a node's agent keeps for its launcher: rows of roles, and nothing else
 * that a program of the user's may have put there. */
#include "helpers/look/look_state.h"

#include "core/facts/handover.h"

#include "tests/fixtures/unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *told(const char *folder)
{
	char *text;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	roles_tell(f, folder);
	fclose(f);
	return text;
}

static void rows_of_roles(void **state)
{
	char dir[] = "/tmp/look-roles-XXXXXX";
	cleanup_free char *text = NULL, *none = NULL, *by_link = NULL;
	const char *rows = "role\ta\t0\tready\thttp://h:1\nrank\t0\t1\n"
			   "roles\trole\t\nrole\tb\t0\tended\thttp://h:2\n";
	int folder, fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	folder = open(dir, O_RDONLY | O_DIRECTORY);
	assert_true(folder >= 0);
	none = told(dir);
	assert_string_equal(none, "");
	fd = openat(folder, "other", O_WRONLY | O_CREAT, 0600);
	assert_int_equal(write(fd, rows, strlen(rows)), strlen(rows));
	close(fd);
	assert_int_equal(symlinkat("other", folder, ROLES_ROWS), 0);
	by_link = told(dir);
	assert_string_equal(by_link, "");
	assert_int_equal(renameat(folder, "other", folder, ROLES_ROWS), 0);
	text = told(dir);
	assert_string_equal(text, "role\ta\t0\tready\thttp://h:1\n"
				  "role\tb\t0\tended\thttp://h:2\n");
	unlinkat(folder, ROLES_ROWS, 0);
	close(folder);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(rows_of_roles)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
