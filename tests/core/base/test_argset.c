/* SPDX-License-Identifier: Apache-2.0 */
/* Options in a program's own command line. */
#include "core/base/argset.h"

#include "tests/fixtures/unit.h"

static void options(void **state)
{
	static const struct {
		const char *line, *name, *letters, *value;
	} cases[] = {
		{"vllm serve M --port 80", "port", NULL, "80"},
		{"vllm serve M --port=80", "port", NULL, "80"},
		{"vllm serve M --port 80 --port=81", "port", NULL, "81"},
		{"vllm serve M --master_port 7", "master-port", NULL, "7"},
		{"vllm serve M --master-port 7", "master_port", NULL, NULL},
		{"vllm serve M --port", "port", NULL, ""},
		{"vllm serve M --port=", "port", NULL, ""},
		{"vllm serve M --ports 80", "port", NULL, NULL},
		{"vllm serve M --por 80", "port", NULL, NULL},
		{"vllm serve M port 80", "port", NULL, NULL},
		{"vllm serve M -dpp 7", "data-parallel-rpc-port", "dpp", "7"},
		{"vllm serve M -dpp=7", "data-parallel-rpc-port", "dpp", "7"},
		{"vllm serve M -dpp 7", "data-parallel-rpc-port", NULL, NULL},
		{"vllm serve M -dp 7", "data-parallel-rpc-port", "dpp", NULL},
		{"", "port", NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char copy[128], *argv[16] = {NULL}, *save = NULL;
		const char *found, *value = cases[i].value;
		unsigned n = 0;

		snprintf(copy, sizeof(copy), "%s", cases[i].line);
		for (char *w = strtok_r(copy, " ", &save); w;
		     w = strtok_r(NULL, " ", &save))
			argv[n++] = w;
		found = argv_option(argv, cases[i].name, cases[i].letters);
		assert_case(cases[i].line,
			    !found == !value &&
				    (!found || !strcmp(found, value)));
	}
	assert_null(argv_option(NULL, "port", NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
