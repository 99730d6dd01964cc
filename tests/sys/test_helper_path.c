/* SPDX-License-Identifier: Apache-2.0 */
/* Where helpers are: configured, beside this program, and this program itself.
 */
#include "sys/helper_path.h"

#include "paths.h"
#include "tests/fixtures/unit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_one(const char *name)
{
	return !strcmp(name, "one");
}

static void paths(void **state)
{
	char self[PATH_MAX] = "", folder[PATH_MAX], path[PATH_MAX];
	char expected[PATH_MAX + 16];

	(void)state;
	assert_false(helper_path("one", path));
	assert_string_equal(path, PKGLIBEXECDIR "/one");
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	*strrchr(strcpy(folder, self), '/') = '\0';
	helper_path_own("", NULL);
	assert_false(helper_path("one", path));
	snprintf(expected, sizeof(expected), "%s/one", folder);
	assert_string_equal(path, expected);
	helper_path_own("/../share", is_one);
	assert_true(helper_path("one", path));
	assert_string_equal(path, self);
	assert_false(helper_path("other", path));
	snprintf(expected, sizeof(expected), "%s/../share/other", folder);
	assert_string_equal(path, expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(paths)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
