/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a table, and how many rows it has. */
#include "tests/fixtures/ranktable_fill.h"

/* The text of this table when it is filled so; freed by the caller. */
static char *make_table(struct ranktable table, const char *const lines[],
			size_t from, enum ranktable_version asked)
{
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

static char *make_text(const char *const lines[], size_t from, bool numbered,
		       enum ranktable_version asked)
{
	return make_table((struct ranktable){.numbered = numbered}, lines, from,
			  asked);
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

/* MindIE reads an address of each server; a name is none. */
static void container_ips(void **state)
{
	static const char *const lines[] = {
		"rank=0 device=0 node=n9 server=10.0.0.9 device_ip=10.1.0.1",
		"rank=1 device=0 node=n10 server=fd00::a device_ip=10.1.0.2",
		"rank=2 device=0 node=n11 server=n11 device_ip=10.1.0.3",
		NULL,
	};
	const struct ranktable table = {.numbered = true,
					.container_ips = true};
	char *text = make_table(table, lines, 1, RANKTABLE_AUTO);

	(void)state;
	assert_non_null(strstr(text, "{\"server_id\":\"000000-10.0.0.9\","
				     "\"container_ip\":\"10.0.0.9\","
				     "\"device\":["));
	assert_non_null(strstr(text, "\"container_ip\":\"fd00::a\",\"dev"));
	assert_non_null(strstr(text, "{\"server_id\":\"000002-n11\",\"dev"));
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
		cmocka_unit_test(container_ips),
		cmocka_unit_test(without_addresses),
		cmocka_unit_test(full_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
