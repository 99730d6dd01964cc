/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/doctor/findings.h"

#include "tests/fixtures/unit.h"

/* Facts of three nodes that are well but for what `fact` says. */
static void judge(struct doctor *d, const char *fact)
{
	struct err err;

	assert_int_equal(doctor_open(d, "n[1-3]", &err), 0);
	assert_true(doctor_add_line(d, DOCTOR_MARK " n1 ready  "));
	assert_true(doctor_add_line(d, DOCTOR_MARK " n2 ready  "));
	assert_true(doctor_add_line(d, DOCTOR_MARK " n3 ready  "));
	assert_true(doctor_add_line(d, DOCTOR_MARK " n1 done"));
	assert_true(doctor_add_line(d, DOCTOR_MARK " n2 done"));
	assert_true(doctor_add_line(d, DOCTOR_MARK " n3 done"));
	assert_true(doctor_add_line(d, DOCTOR_MARK " n1 route eth0 9000"));
	assert_true(doctor_add_line(d, DOCTOR_MARK " n1 program 10 /bin/x"));
	assert_true(doctor_add_line(d, DOCTOR_MARK " n3 tls 4 0"));
	if (*fact) {
		char line[300];

		snprintf(line, sizeof(line), DOCTOR_MARK " n2 %s", fact);
		assert_true(doctor_add_line(d, line));
	}
	assert_int_equal(doctor_judge(d, &err), 0);
}

static const struct doctor_finding *bad(const struct doctor *d)
{
	const struct doctor_finding *found = NULL;

	for (size_t i = 0; i < d->nfindings; i++)
		if (d->finding[i].level != DOCTOR_OK) {
			assert_null(found);
			found = &d->finding[i];
		}
	return found;
}

static const struct {
	const char *fact, *check, *text;
	enum doctor_level level;
} cases[] = {
	{"own n2 10.0.0.2", NULL, NULL, DOCTOR_OK},
	{"own n2 127.0.1.1", "names", "to 127.0.1.1, a loopback", DOCTOR_WARN},
	{"own n2 -", "names", "can't resolve its own", DOCTOR_WARN},
	{"name n1 -", "names", "n1 can't be resolved", DOCTOR_WARN},
	{"name n1 127.0.0.1", "names", "n1 resolves to 127.0.0.1", DOCTOR_WARN},
	{"first n1.x 10.0.0.1", NULL, NULL, DOCTOR_OK},
	{"first n1.x -", "names", "n1.x, NodeAddr of n1", DOCTOR_FAIL},
	{"first n1.x ::1", "names", "n1 resolves to ::1", DOCTOR_FAIL},
	{"route -", "route", "no route to n1", DOCTOR_FAIL},
	{"route lo 9000", "route", "loopback interface", DOCTOR_FAIL},
	{"route eth1 9000", NULL, NULL, DOCTOR_OK},
	{"route eth1 1500", "mtu", "MTU 1500, but 9000 on n1", DOCTOR_WARN},
	{"reach ok", NULL, NULL, DOCTOR_OK},
	{"reach no answer", "reach", "n1: no answer", DOCTOR_FAIL},
	{"ports 20000 20999 100", NULL, NULL, DOCTOR_OK},
	{"ports 20000 20999 101", "ports", "101 of the ports", DOCTOR_WARN},
	{"ports 20000 20999 999", "ports", "999 of the ports", DOCTOR_WARN},
	{"ports 20000 20999 1000", "ports", "none of the ports", DOCTOR_FAIL},
	{"ephemeral 32768 60999 20000 28999", NULL, NULL, DOCTOR_OK},
	{"ephemeral 28999 60999 20000 28999", "ports", "kernel", DOCTOR_WARN},
	{"pmix yes yes", NULL, NULL, DOCTOR_OK},
	{"pmix no yes", "pmix", "no mpi_pmix.so", DOCTOR_WARN},
	{"pmix yes no", "pmix", "libpmix.so can't", DOCTOR_WARN},
	{"munge Expired credential", "munge", "Expired", DOCTOR_FAIL},
	{"clock -900000 200", NULL, NULL, DOCTOR_OK},
	{"clock -1500000 900000", NULL, NULL, DOCTOR_OK},
	{"clock -1500000 200", "clock", "-1.5 s off", DOCTOR_WARN},
	{"clock 300000000 200", "clock", "300.0 s off", DOCTOR_FAIL},
	{"npu 3 10.1.1.1", NULL, NULL, DOCTOR_OK},
	{"npu 3 -", "npu", "NPU 3 has no address", DOCTOR_FAIL},
	{"npu-note something", "npu", "something", DOCTOR_WARN},
	{"tls 1 0", NULL, NULL, DOCTOR_OK},
	{"tls 1 1", "npu-tls", "on NPU ", DOCTOR_FAIL},
	{"ping 1 10.1.1.1 ok", NULL, NULL, DOCTOR_OK},
	{"ping 1 10.1.1.1 0 of 3 packets", "npu-ping", "NPU 1 can't reach",
	 DOCTOR_FAIL},
	{"program 10 /bin/x", NULL, NULL, DOCTOR_OK},
	{"program 11 /bin/x", "program", "the file differs", DOCTOR_WARN},
	{"program - /bin/x", "program", "/bin/x doesn't exist", DOCTOR_FAIL},
	{"memlock unlimited", NULL, NULL, DOCTOR_OK},
	{"memlock 64 no", NULL, NULL, DOCTOR_OK},
	{"memlock 64 yes", "limits", "only 64 KiB", DOCTOR_WARN},
	{"nofile 1024", "limits", "only 1024 files", DOCTOR_WARN},
	{"shm 2048 2000", NULL, NULL, DOCTOR_OK},
	{"shm 512 500", "shm", "only 512 MiB", DOCTOR_WARN},
	{"shm 2048 15", "shm", "only 15 of 2048", DOCTOR_FAIL},
	{"shm -", "shm", "/dev/shm doesn't exist", DOCTOR_FAIL},
	{"leftover process 7", "leftovers", "process 7", DOCTOR_WARN},
};

static void each_fact_is_judged(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct doctor_finding *f;
		struct doctor d;

		judge(&d, cases[i].fact);
		f = bad(&d);
		assert_int_equal(doctor_worst(&d), cases[i].level);
		assert_case(cases[i].fact, !f == !cases[i].check);
		if (f) {
			assert_string_equal(f->check, cases[i].check);
			assert_case(cases[i].fact,
				    strstr(f->text, cases[i].text));
			assert_case(cases[i].fact, *f->remedy);
			assert_string_equal(f->nodes,
					    strcmp(f->check, "npu-tls") != 0
						    ? "n2"
						    : f->nodes);
		}
		doctor_clear(&d);
	}
}

/* The name of a loopback address matters to nobody on one node. */
static void one_node(void **state)
{
	struct doctor d;
	struct err err;

	(void)state;
	assert_int_equal(doctor_open(&d, "n1", &err), 0);
	assert_true(doctor_add_line(&d, DOCTOR_MARK " n1 own n1 127.0.1.1"));
	assert_true(doctor_add_line(&d, DOCTOR_MARK " n1 npu 0 -"));
	assert_true(doctor_add_line(&d, DOCTOR_MARK " n1 ready"));
	assert_true(doctor_add_line(&d, DOCTOR_MARK " n1 done"));
	assert_int_equal(doctor_judge(&d, &err), 0);
	assert_int_equal(doctor_worst(&d), DOCTOR_OK);
	doctor_clear(&d);
}

static void who_does_not_answer(void **state)
{
	struct doctor d;
	struct err err;

	(void)state;
	assert_int_equal(doctor_open(&d, "n[1-2]", &err), 0);
	assert_true(doctor_add_line(&d, DOCTOR_MARK " n1 ready"));
	assert_true(doctor_add_line(&d, DOCTOR_MARK " n1 done"));
	assert_int_equal(doctor_judge(&d, &err), 0);
	assert_string_equal(bad(&d)->nodes, "n2");
	assert_int_equal(doctor_worst(&d), DOCTOR_FAIL);
	doctor_clear(&d);
}

/* Lines of others, such as srun's and another node's, are none. */
static void other_lines(void **state)
{
	static const char *const lines[] = {
		"",
		"srun: error",
		DOCTOR_MARK,
		DOCTOR_MARK " ",
		DOCTOR_MARK " n1",
		DOCTOR_MARK " n1 ",
		DOCTOR_MARK " n9 shm -",
		DOCTOR_MARK "x n1 shm -",
	};
	struct doctor d;
	struct err err;

	(void)state;
	assert_int_equal(doctor_open(&d, "n[1-2]", &err), 0);
	for (size_t i = 0; i < COUNT(lines); i++)
		assert_case(lines[i], !doctor_add_line(&d, lines[i]));
	doctor_clear(&d);
	assert_int_equal(doctor_open(&d, "n[1", &err), -1);
	doctor_clear(&d);
}

/* Equal findings are one, and many names are cut. */
static void many_nodes(void **state)
{
	const struct doctor_finding *f;
	struct doctor d;
	struct err err;
	size_t shown;

	(void)state;
	assert_int_equal(doctor_open(&d, "node[0001-1000]", &err), 0);
	for (unsigned i = 0; i < d.nnodes; i++)
		doctor_find(&d, DOCTOR_FAIL, "shm", i, "r", "none");
	doctor_find(&d, DOCTOR_FAIL, "shm", 999, "r", "none");
	assert_int_equal(d.nfindings, 1);
	f = &d.finding[0];
	assert_int_equal(f->nnodes, 1000);
	shown = f->nshown;
	assert_true(shown > 20 && shown < 40);
	assert_int_equal(atoi(strchr(f->nodes, '+')), (int)(1000 - shown));
	doctor_clear(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_fact_is_judged),
		cmocka_unit_test(one_node),
		cmocka_unit_test(who_does_not_answer),
		cmocka_unit_test(other_lines),
		cmocka_unit_test(many_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
