/* SPDX-License-Identifier: Apache-2.0 */
#include "core/ascend/ranktable.h"

#include "tests/fixtures/unit.h"

/* A table from lines; `from` is the first to be added, the others follow. */
static void fill(struct ranktable *table, const char *const lines[],
		 size_t from)
{
	struct ranktable_row row;
	struct err err;
	char copy[512];
	size_t n = 0;

	while (lines[n])
		n++;
	for (size_t i = 0; i < n; i++) {
		strcpy(copy, lines[(from + i * 7) % n]);
		if (ranktable_row_parse(copy, &row, &err) < 0 ||
		    ranktable_add(table, &row, &err) < 0)
			fail_msg("%s", err.text);
	}
	assert_int_equal(table->n, n);
}

/* The text of a table that is filled so; freed by the caller. */
static char *make_text(const char *const lines[], size_t from, bool numbered,
		       enum ranktable_version asked)
{
	struct ranktable table = {.numbered = numbered};
	enum ranktable_version version;
	struct err err;
	size_t len;
	char *text;

	fill(&table, lines, from);
	assert_int_equal(ranktable_check(&table, asked, &version, &err), 0);
	assert_int_equal(ranktable_text(&table, version, &text, &len, &err), 0);
	assert_int_equal(len, strlen(text));
	ranktable_clear(&table);
	return text;
}

static const char *const two_servers[] = {
	"rank=0 device=0 chip=910B node=n1 server=10.0.0.1 host_ip=10.0.0.1 "
	"device_ip=192.168.1.1",
	"rank=1 device=3 chip=910B node=n1 server=10.0.0.1 host_ip=10.0.0.1 "
	"device_ip=192.168.1.2",
	"rank=2 device=1 chip=910B node=n0 server=10.0.0.0 "
	"device_ip=192.168.1.3",
	NULL,
};

static void text_1_0(void **state)
{
	static const char expected[] =
		"{\"status\":\"completed\",\"version\":\"1.0\","
		"\"server_count\":\"2\",\"server_list\":[\n"
		"{\"server_id\":\"10.0.0.1\",\"host_ip\":\"10.0.0.1\","
		"\"device\":[\n"
		"{\"device_id\":\"0\",\"device_ip\":\"192.168.1.1\","
		"\"rank_id\":\"0\"},\n"
		"{\"device_id\":\"3\",\"device_ip\":\"192.168.1.2\","
		"\"rank_id\":\"1\"}]},\n"
		"{\"server_id\":\"10.0.0.0\",\"device\":[\n"
		"{\"device_id\":\"1\",\"device_ip\":\"192.168.1.3\","
		"\"rank_id\":\"2\"}]}]}\n";

	(void)state;
	for (size_t from = 0; from < 3; from++) {
		char *text =
			make_text(two_servers, from, false, RANKTABLE_AUTO);

		assert_string_equal(text, expected);
		free(text);
	}
}

static void text_1_2(void **state)
{
	static const char *const lines[] = {
		"rank=0 device=0 chip=910C node=a server=a super_device=7 "
		"super_pod=x device_ip=fd00::1",
		"rank=1 device=0 chip=910C node=b server=b super_device=8 "
		"super_pod=x device_ip=fd00::2",
		"rank=2 device=0 node=c server=c super_device=0 super_pod=1 "
		"device_ip=fd00::3",
		NULL,
	};
	static const char expected[] =
		"\"super_pod_list\":[\n"
		"{\"super_pod_id\":\"x\",\"server_list\":[\n"
		"{\"server_id\":\"a\"},\n"
		"{\"server_id\":\"b\"}]},\n"
		"{\"super_pod_id\":\"1\",\"server_list\":[\n"
		"{\"server_id\":\"c\"}]}]}\n";
	char *text = make_text(lines, 2, false, RANKTABLE_AUTO);

	(void)state;
	assert_string_equal(text + strlen(text) - strlen(expected), expected);
	assert_non_null(strstr(text, "\"super_device_id\":\"0\""));
	assert_non_null(strstr(text, "\"version\":\"1.2\""));
	free(text);
	text = make_text(lines, 2, false, RANKTABLE_1_0);
	assert_non_null(strstr(text, "\"version\":\"1.0\""));
	assert_null(strstr(text, "super"));
	free(text);
}

/* Where names of servers don't sort, numbers stand before them. */
static void numbered_servers(void **state)
{
	static const char *const lines[] = {
		"rank=0 device=0 chip=910C node=n9 server=n9 super_device=7 "
		"super_pod=x",
		"rank=1 device=1 chip=910C node=n9 server=n9 super_device=8 "
		"super_pod=x",
		"rank=2 device=0 node=n10 server=n10 super_device=9 "
		"super_pod=x",
		NULL,
	};
	char *text = make_text(lines, 1, true, RANKTABLE_AUTO);

	(void)state;
	assert_non_null(
		strstr(text, "{\"server_id\":\"000000-n9\",\"device\""));
	assert_non_null(strstr(text, "{\"server_id\":\"000001-n10\",\"dev"));
	assert_non_null(strstr(text, "{\"server_id\":\"000000-n9\"},\n"
				     "{\"server_id\":\"000001-n10\"}]}]}"));
	free(text);
}

/* One server needs no addresses, and then has no host_ip either. */
static void without_addresses(void **state)
{
	static const char *const lines[] = {
		"rank=0 device=1 chip=910C node=a server=node-1 "
		"host_ip=10.0.0.1",
		NULL,
	};
	char *text = make_text(lines, 0, false, RANKTABLE_AUTO);

	(void)state;
	assert_string_equal(text,
			    "{\"status\":\"completed\",\"version\":\"1.0\","
			    "\"server_count\":\"1\",\"server_list\":[\n"
			    "{\"server_id\":\"node-1\",\"device\":[\n"
			    "{\"device_id\":\"1\",\"rank_id\":\"0\"}]}]}\n");
	free(text);
}

#define A "node=n1 server=s1 "
#define B "node=n2 server=s2 "

static const struct refusal {
	enum ranktable_version asked;
	const char *says[3];
	const char *lines[6];
} refusals[] = {
	{0, {"no node sent a row"}, {NULL}},
	{0,
	 {"rank 0 is that of node n1, device 0 and of node n2, device 3"},
	 {"rank=0 device=0 " A, "rank=0 device=3 " B}},
	{0,
	 {"rank 1 is missing", "node n2, device 3 has rank 2"},
	 {"rank=0 device=0 " A, "rank=2 device=3 " B}},
	{0, {"rank 0 is missing"}, {"rank=1 device=0 " A}},
	{0,
	 {"node n1, device 8", "910A are 0 to 7", "gres.conf"},
	 {"rank=0 device=8 chip=910A " A}},
	{0,
	 {"device 16", "910B are 0 to 15"},
	 {"rank=0 device=16 chip=910B " A}},
	{0, {"device 64"}, {"rank=0 device=64 " A}},
	{0,
	 {"node n1 has chips 910A and node n2 has 910B", "--constraint"},
	 {"rank=0 device=0 chip=910A " A, "rank=1 device=0 chip=910B " B}},
	{0,
	 {"nodes n1 and n2 both are server s1"},
	 {"rank=0 device=0 node=n1 server=s1", "rank=1 device=1 node=n2 "
					       "server=s1"}},
	{0,
	 {"nodes n1 and n3 both are server s1"},
	 {"rank=0 device=0 " A, "rank=1 device=1 " B,
	  "rank=2 device=1 node=n3 server=s1"}},
	{0,
	 {"node n1 has the ranks up to 0 and again from 2", "srun "
							    "--distribution="
							    "block"},
	 {"rank=0 device=0 " A, "rank=1 device=0 " B, "rank=2 device=1 " A,
	  "rank=3 device=1 " B}},
	{0,
	 {"node n1, device 5 is that of rank 0 and of rank 2", "one process"},
	 {"rank=0 device=5 " A, "rank=1 device=4 " A, "rank=2 device=5 " A}},
	{0,
	 {"node n1 has 1 devices and node n2 has 2", "--ntasks-per-node"},
	 {"rank=0 device=0 chip=910A " A, "rank=1 device=0 chip=910A " B,
	  "rank=2 device=1 chip=910A " B}},
	{0,
	 {"node n1: the devices 0, 1, 6 and 7", "0-3, 4-7"},
	 {"rank=0 device=0 chip=910A " A, "rank=1 device=1 chip=910A " A,
	  "rank=2 device=6 chip=910A " A, "rank=3 device=7 chip=910A " A}},
	{0,
	 {"node n1, device 0 has no address", "2 servers", "hccn_tool -i 0"},
	 {"rank=0 device=0 chip=910B " A, "rank=1 device=0 chip=910B " B}},
	{0,
	 {"node n2, device 3: the address '-.-.-.-' is not an IP address",
	  "hccn_tool -i 3"},
	 {"rank=0 device=0 device_ip=1.0.0.1 " A,
	  "rank=1 device=3 device_ip=-.-.-.- " B}},
	{0,
	 {"'0.0.0.0' is an unspecified"},
	 {"rank=0 device=0 device_ip=0.0.0.0 " A}},
	{0, {"a loopback"}, {"rank=0 device=0 device_ip=1.0.0.1,127.0.0.1 " A}},
	{0, {"a multicast"}, {"rank=0 device=0 device_ip=224.0.0.1 " A}},
	{0, {"'' is not an IP"}, {"rank=0 device=0 device_ip=1.0.0.1, " A}},
	{0,
	 {"node n1: the host address '127.0.0.1' is a loopback"},
	 {"rank=0 device=0 host_ip=127.0.0.1 " A}},
	{0,
	 {"node n1 has the host addresses 1.0.0.1 and (none)"},
	 {"rank=0 device=0 host_ip=1.0.0.1 " A, "rank=1 device=1 " A}},
	{0,
	 {"node n1, device 0 has an IPv4 device address and node n2, device 0 "
	  "an IPv6"},
	 {"rank=0 device=0 device_ip=1.0.0.1 " A,
	  "rank=1 device=0 device_ip=fd00::1 " B}},
	{0,
	 {"an IPv6 host address and node n2, device 0 an IPv4"},
	 {"rank=0 device=0 host_ip=fd00::1 " A,
	  "rank=1 device=0 host_ip=1.0.0.1 " B}},
	{0,
	 {"node n1, device 1 (1.0.0.2) and node n2, device 4 (1.0.0.2)",
	  "hccn_tool"},
	 {"rank=0 device=0 device_ip=1.0.0.1 " A,
	  "rank=1 device=1 device_ip=1.0.0.2 " A,
	  "rank=2 device=4 device_ip=1.0.0.2 " B}},
	{0,
	 {"have the same address"},
	 {"rank=0 device=0 device_ip=fd00::1 " A,
	  "rank=1 device=4 device_ip=fd00:0::0:1 " B}},
	{0,
	 {"node n1, device 0 has 1 addresses and node n1, device 1 has 2"},
	 {"rank=0 device=0 device_ip=1.0.0.1 " A,
	  "rank=1 device=1 device_ip=1.0.0.2,1.0.0.3 " A}},
	{0,
	 {"has 17 addresses: at most 16"},
	 {"rank=0 device=0 device_ip=,,,,,,,,,,,,,,,, " A}},
	{0,
	 {"node n1 has chips 950", "version 2.0 only", "ddp"},
	 {"rank=0 device=0 chip=950 " A}},
	{RANKTABLE_1_0,
	 {"node n1 has chips 950"},
	 {"rank=0 device=0 chip=950 " A}},
	{RANKTABLE_1_2,
	 {"910B, which have no super pods", "table=1.0"},
	 {"rank=0 device=0 chip=910B " A}},
	{RANKTABLE_1_2,
	 {"node n2, device 0: the super device id isn't known", "table=1.0"},
	 {"rank=0 device=0 super_device=1 super_pod=0 " A,
	  "rank=1 device=0 super_pod=0 " B}},
	{0,
	 {"node n2, device 0: the super device id isn't known"},
	 {"rank=0 device=0 super_device=1 super_pod=0 " A,
	  "rank=1 device=0 super_device=4294967295 super_pod=0 " B}},
	{0,
	 {"node n2, device 0: the super pod isn't known"},
	 {"rank=0 device=0 super_device=1 super_pod=0 " A,
	  "rank=1 device=0 super_device=2 " B}},
	{0,
	 {"node n1, device 0 and node n2, device 0 have the super device id 1 "
	  "in super pod 0"},
	 {"rank=0 device=0 super_device=1 super_pod=0 " A,
	  "rank=1 device=0 super_device=1 super_pod=0 " B}},
	{0,
	 {"node n1 is in the super pods 0 and 1"},
	 {"rank=0 device=0 super_device=1 super_pod=0 " A,
	  "rank=1 device=1 super_device=1 super_pod=1 " A}},
	{0,
	 {"super pod 0 ends with node n1 and begins again with node n3"},
	 {"rank=0 device=0 super_device=1 super_pod=0 " A,
	  "rank=1 device=0 super_device=1 super_pod=1 " B,
	  "rank=2 device=0 super_device=2 super_pod=0 node=n3 server=s3"}},
	{0,
	 {"node n1, device 0 has no address", "in super pod 0, node n2 in 1"},
	 {"rank=0 device=0 super_device=1 super_pod=0 " A,
	  "rank=1 device=0 super_device=1 super_pod=1 " B}},
};

static void strip(char *to, const char *line)
{
	size_t n = strlen(line);

	memcpy(to, line, n + 1);
	while (n && to[n - 1] == ' ')
		to[--n] = '\0';
}

static void judge(const struct refusal *r, size_t from)
{
	char clean[6][512];
	const char *lines[7] = {NULL};
	enum ranktable_version version = 77;
	struct ranktable table = {0};
	struct err err;

	for (size_t i = 0; i < COUNT(r->lines) && r->lines[i]; i++) {
		strip(clean[i], r->lines[i]);
		lines[i] = clean[i];
	}
	if (lines[0])
		fill(&table, lines, from);
	assert_case(r->says[0],
		    ranktable_check(&table, r->asked, &version, &err) < 0);
	assert_int_equal(version, 77);
	for (size_t i = 0; i < COUNT(r->says) && r->says[i]; i++)
		if (!strstr(err.text, r->says[i]))
			fail_msg("%s: %s", r->says[i], err.text);
	assert_null(strchr(err.text, '{')); /* a field without a value */
	ranktable_clear(&table);
}

static void refuse(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(refusals); i++)
		for (size_t from = 0; from < 4; from++)
			judge(&refusals[i], from);
}

static void accept(void **state)
{
	static const char *const cases[][5] = {
		/* uneven servers, gaps in the ids: not on a 910A only */
		{"rank=0 device=6 chip=910C "
		 "node=n1 server=s1",
		 "rank=1 device=0 chip=910C node=n2 server=s2",
		 "rank=2 device=15 chip=910C node=n2 server=s2"},
		/* one server may mix families */
		{"rank=0 device=0 node=n1 server=s1 device_ip=1.0.0.1",
		 "rank=1 device=1 node=n1 server=s1 device_ip=fd00::1"},
		{"rank=0 device=4 chip=910A node=n1 server=s1",
		 "rank=1 device=6 chip=910A node=n1 server=s1",
		 "rank=2 device=7 chip=910A node=n1 server=s1"},
		/* a chip that one node doesn't know */
		{"rank=0 device=0 node=n1 server=s1 device_ip=1.0.0.1",
		 "rank=1 device=0 chip=910A node=n2 server=s2 "
		 "device_ip=1.0.0.2"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct ranktable table = {0};
		enum ranktable_version version;
		struct err err = {""};

		fill(&table, cases[i], 1);
		if (ranktable_check(&table, RANKTABLE_AUTO, &version, &err) < 0)
			fail_msg("%s", err.text);
		assert_int_equal(version, RANKTABLE_1_0);
		ranktable_clear(&table);
	}
}

static void full_table(void **state)
{
	struct ranktable_row row = {.node = "n", .server_id = "s"};
	struct ranktable table = {0};
	struct err err;

	(void)state;
	for (unsigned i = 0; i < RANKTABLE_RANKS_MAX; i++)
		assert_int_equal(ranktable_add(&table, &row, &err), 0);
	assert_int_equal(ranktable_add(&table, &row, &err), -1);
	assert_non_null(strstr(err.text, "at most 262144"));
	ranktable_clear(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_1_0),
		cmocka_unit_test(text_1_2),
		cmocka_unit_test(numbered_servers),
		cmocka_unit_test(without_addresses),
		cmocka_unit_test(refuse),
		cmocka_unit_test(accept),
		cmocka_unit_test(full_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
