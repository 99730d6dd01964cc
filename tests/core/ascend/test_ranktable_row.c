/* SPDX-License-Identifier: Apache-2.0 */
#include "core/ascend/ranktable_row.h"

#include "tests/fixtures/unit.h"

static int parse(const char *line, struct ranktable_row *ret, struct err *err)
{
	static char copy[RANKTABLE_LINE_MAX * 2];

	strcpy(copy, line);
	return ranktable_row_parse(copy, ret, err);
}

static void there_and_back(void **state)
{
	static const char *const lines[] = {
		"rank=0 device=0 node=n server=s",
		"rank=3 device=7 chip=910A node=n1 server=10.0.0.1 "
		"host_ip=10.0.0.1 device_ip=192.168.100.101",
		"rank=262143 device=65535 chip=910C super_device=4294967295 "
		"node=n1 server=a,b=c host_ip=::1 device_ip=1.2.3.4,-.-.-.- "
		"super_pod=0",
		"rank=1 device=1 super_device=0 node=n1 server=x",
	};
	char again[RANKTABLE_LINE_MAX];
	struct ranktable_row row;
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++) {
		assert_case(lines[i], parse(lines[i], &row, &err) == 0);
		assert_case(lines[i],
			    ranktable_row_format(&row, again, sizeof(again),
						 &err) == 0);
		assert_string_equal(lines[i], again);
	}
}

static void any_order(void **state)
{
	struct ranktable_row row;
	struct err err;

	(void)state;
	assert_int_equal(parse("server=s super_pod=p node=n chip=950 device=2 "
			       "rank=1",
			       &row, &err),
			 0);
	assert_int_equal(row.rank, 1);
	assert_int_equal(row.device_id, 2);
	assert_int_equal(row.chip, CHIP_950);
	assert_string_equal(row.super_pod_id, "p");
	assert_false(row.has_super_device);
	assert_null(row.device_ip);
}

static void refuse(void **state)
{
	static const struct {
		const char *line, *says;
	} cases[] = {
		{"", "unknown field ''"},
		{"rank=0 device=0 node=n", "without server"},
		{"device=0 node=n server=s", "without rank"},
		{"rank=0 device=0 node=n server=s ", "unknown field ''"},
		{" rank=0 device=0 node=n server=s", "unknown field ''"},
		{"rank=0  device=0 node=n server=s", "unknown field ''"},
		{"rank=0 rank=0 device=0 node=n server=s", "rank twice"},
		{"rank=-1 device=0 node=n server=s", "rank '-1'"},
		{"rank= device=0 node=n server=s", "rank ''"},
		{"rank=262144 device=0 node=n server=s", "262143"},
		{"rank=0 device=65536 node=n server=s", "65535"},
		{"rank=0 device=0 node= server=s", "node ''"},
		{"rank=0 device=0 node=n server=s\"", "'s\"'"},
		{"rank=0 device=0 node=n server=s\\", "without blanks"},
		{"rank=0 device=0 node=n server=s\tt", "\\x09"},
		{"rank=0 device=0 node=n server=\xc3\xa9", "'\xc3\xa9'"},
		{"rank=0 device=0 node=n server=\xa9", "\\xa9"},
		{"rank=0 device=0 node=n server=s\n", "\\x0a"},
		{"rank=0 device=0 node=n server=s device_ip=", "device_ip"},
		{"rank=0 device=0 node=n server=s chip=910", "910A"},
		{"rank=0 device=0 node=n server=s chip=unknown", "910A"},
		{"rank=0 device=0 node=n server=s super_device=4294967296",
		 "4294967295"},
		{"rank=0 device=0 node=n server=s super_device=", "super_dev"},
		{"rank=0 device=0 node=n server=s color=red", "'color=red'"},
		{"rank=0 device=0 node=n server=s RANK=1", "'RANK=1'"},
		{"rank=0 device=0 node=n server=s more", "'more'"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct ranktable_row row, before;
		struct err err;

		memset(&row, UNTOUCHED, sizeof(row));
		before = row;
		assert_case(cases[i].line,
			    parse(cases[i].line, &row, &err) < 0);
		if (!strstr(err.text, cases[i].says))
			fail_msg("%s: %s", cases[i].line, err.text);
		assert_memory_equal(&row, &before, sizeof(row));
	}
}

static void limits(void **state)
{
	char *server = repeated('s', 64), *longer = repeated('s', 65);
	struct ranktable_row row = {.node = "n", .server_id = server};
	char line[RANKTABLE_LINE_MAX];
	struct err err;

	(void)state;
	assert_int_equal(ranktable_row_check(&row, &err), 0);
	assert_int_equal(ranktable_row_format(&row, line, 20, &err), -1);
	row.server_id = longer;
	assert_int_equal(ranktable_row_check(&row, &err), -1);
	row.server_id = NULL;
	assert_int_equal(ranktable_row_check(&row, &err), -1);
	row.server_id = server;
	row.rank = RANKTABLE_RANKS_MAX;
	assert_int_equal(ranktable_row_format(&row, line, sizeof(line), &err),
			 -1);
	row.rank = 0;
	row.chip = CHIP_COUNT;
	assert_int_equal(ranktable_row_check(&row, &err), -1);
	free(server);
	free(longer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(any_order),
		cmocka_unit_test(refuse),
		cmocka_unit_test(limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
