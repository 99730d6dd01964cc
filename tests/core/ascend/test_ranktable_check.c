/* SPDX-License-Identifier: Apache-2.0 */
/* What ranktable_check() says of a step's rows, in whatever order they come. */
#include "tests/fixtures/ranktable_fill.h"

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
	 {"node n1 has 3 devices", "1, 2, 4 or 8 work together", "table=none"},
	 {"rank=0 device=4 chip=910A " A, "rank=1 device=6 chip=910A " A,
	  "rank=2 device=7 chip=910A " A}},
	{0,
	 {"node n1 has 5 devices"},
	 {"rank=0 device=0 chip=910A " A, "rank=1 device=1 " A,
	  "rank=2 device=2 " A, "rank=3 device=3 " A, "rank=4 device=4 " A}},
	{0,
	 {"node n2, device 0 has no address", "2 servers with chip 910C"},
	 {"rank=0 device=0 chip=910C device_ip=1.0.0.1 " A,
	  "rank=1 device=0 " B}},
	{RANKTABLE_1_0,
	 {"node n1, device 0 has no address", "2 servers with chip 910C"},
	 {"rank=0 device=0 chip=910C super_device=1 super_pod=0 " A,
	  "rank=1 device=0 super_device=2 super_pod=0 " B}},
	{0,
	 {"node n1, device 0 has no address", "2 servers with chip unknown"},
	 {"rank=0 device=0 " A, "rank=1 device=0 " B}},
	{0, {"310P are 0 to 31"}, {"rank=0 device=32 chip=310P " A}},
	{RANKTABLE_1_2,
	 {"310P, which have no super pods"},
	 {"rank=0 device=0 chip=310P " A}},
	{0,
	 {"node n1 has 1 devices and node n2 has 2: 310P needs the same"},
	 {"rank=0 device=0 chip=310P " A, "rank=1 device=0 chip=310P " B,
	  "rank=2 device=1 chip=310P " B}},
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
	 {"rank=0 device=0 host_ip=fd00::1 device_ip=1.0.0.2 " A,
	  "rank=1 device=0 host_ip=1.0.0.1 device_ip=1.0.0.3 " B}},
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
		{"rank=0 device=6 chip=910C device_ip=1.0.0.1 "
		 "node=n1 server=s1",
		 "rank=1 device=0 chip=910C device_ip=1.0.0.2 "
		 "node=n2 server=s2",
		 "rank=2 device=15 chip=910C device_ip=1.0.0.3 "
		 "node=n2 server=s2"},
		/* one server may mix families */
		{"rank=0 device=0 node=n1 server=s1 device_ip=1.0.0.1",
		 "rank=1 device=1 node=n1 server=s1 device_ip=fd00::1"},
		{"rank=0 device=4 chip=910A node=n1 server=s1",
		 "rank=1 device=7 chip=910A node=n1 server=s1"},
		{"rank=0 device=4 chip=310P node=n1 server=s1",
		 "rank=1 device=6 chip=310P node=n1 server=s1",
		 "rank=2 device=31 chip=310P node=n1 server=s1"},
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuse),
		cmocka_unit_test(accept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
