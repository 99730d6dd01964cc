/* SPDX-License-Identifier: Apache-2.0 */
/* Which way the launchers of a step exchange what they know, and what the
 * library's own order of ranks is. */
#include "core/plan/step_order.h"
#include "helpers/ranktable/exchange.h"
#include "helpers/ranktable/exchange_pmix.h"

#include "tests/fixtures/plan_fixture.h"

static bool has_pmix;

bool exchange_pmix_is_here(void)
{
	return has_pmix;
}

/* A step of 4 tasks on so many nodes. */
static struct facts step(unsigned nnodes)
{
	struct facts f =
		facts_task(4, nnodes, 0, 0, 0, nnodes == 1 ? "0,1,2,3" : "0,1");

	facts_handover(&f);
	return f;
}

static void choice(void **state)
{
	static const struct {
		const char *option;
		unsigned nnodes;
		bool split, pmix, inventory;
		int way; /* -1: refused */
		const char *why;
	} cases[] = {
		{"ascend", 2, false, true, true, EXCHANGE_BY_CHANNEL, ""},
		{"ascend", 2, true, true, true, EXCHANGE_BY_PMIX, ""},
		{"ascend", 2, true, false, true, EXCHANGE_BY_SELF, ""},
		{"ascend", 1, true, true, false, EXCHANGE_BY_SELF, ""},
		{"ascend", 2, true, false, false, -1,
		 "no munged; use srun --mpi=pmix with exchange=pmix"},
		{"ascend,exchange=tcp", 2, false, true, true,
		 EXCHANGE_BY_CHANNEL, ""},
		{"ascend,exchange=tcp", 2, true, true, true, -1, "no munged"},
		{"ascend,exchange=pmix", 2, false, true, false,
		 EXCHANGE_BY_PMIX, ""},
		{"ascend,exchange=pmix", 2, false, false, true, -1,
		 "has no PMIx"},
		{"ascend,exchange=none", 2, false, true, true, EXCHANGE_BY_SELF,
		 ""},
		{"ascend,exchange=none", 1, false, true, false,
		 EXCHANGE_BY_SELF, ""},
		{"ascend,exchange=none", 2, false, true, false, -1,
		 "administrator's inventory=, which"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct facts f = step(cases[i].nnodes);
		enum exchange_way way = EXCHANGE_BY_CHANNEL;
		struct config config = {0};
		static char file[] = "/etc/npus";
		struct err err = {""};
		struct task t;
		int rc;

		plan_ok(&t, cases[i].option, &f);
		has_pmix = cases[i].pmix;
		config.inventory = cases[i].inventory ? file : NULL;
		rc = exchange_choose(&t.plan, &config,
				     cases[i].split ? "no munged" : NULL, &way,
				     &err);
		assert_case(cases[i].option, rc == (cases[i].way < 0 ? -1 : 0));
		assert_case(cases[i].option,
			    rc < 0 || (int)way == cases[i].way);
		assert_case(cases[i].option, strstr(err.text, cases[i].why));
		clear(&t);
	}
}

static void alone(void **state)
{
	struct facts f = facts_task(1, 1, 0, 0, 0, "0");
	enum exchange_way way = EXCHANGE_BY_SELF;
	struct config config = {0};
	struct err err;
	struct task t;

	(void)state;
	has_pmix = false;
	plan_ok(&t, "ascend,exchange=pmix", &f);
	assert_int_equal(exchange_choose(&t.plan, &config, NULL, &way, &err),
			 0);
	assert_int_equal(way, EXCHANGE_BY_CHANNEL);
	clear(&t);
}

static void order(void **state)
{
	static const struct {
		const char *addrs, *taskmap;
		const char *says; /* NULL: nothing */
	} cases[] = {
		{"10.0.0.1,10.0.0.2", NULL, NULL},
		{"10.0.0.9,10.0.0.10", NULL, NULL}, /* bytes, not text */
		{"10.0.0.2,10.0.0.1", NULL, "rank 1 is on 10.0.0.2, rank 2 on"},
		{"10.0.0.1,10.0.0.2", "cyclic",
		 "rank 1 is on 10.0.0.2, rank 2 on 10.0.0.1"},
		{"fe80::2,fe80::1", NULL, "rank 2 on fe80::1"},
		{"node2,node1", NULL, NULL}, /* not addresses */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		bool cyclic = cases[i].taskmap;
		struct facts f =
			facts_task(4, 2, 0, 0, 0, cyclic ? "0,2" : "0,1");
		char buf[600] = "";
		struct task t;
		bool said;

		facts_handover(&f);
		facts_set(&f, "SLURM_STEP_NODELIST", "node[1-2]");
		facts_set(&f, "SLURM_STEP_TASKS_PER_NODE", "2(x2)");
		facts_set(&f, "SLURM_DIST_TRAIN_ADDRS", cases[i].addrs);
		if (cyclic)
			facts_set(&f, "SLURM_DIST_TRAIN_TASKMAP",
				  cases[i].taskmap);
		plan_ok(&t, "ascend,table=none", &f);
		said = chief_order_remark(&t.plan, buf, sizeof(buf));
		assert_case(cases[i].addrs, said == (cases[i].says != NULL));
		assert_case(cases[i].addrs,
			    !said || strstr(buf, cases[i].says));
		clear(&t);
	}
}

static void chief(void **state)
{
	struct facts f = step(2);

	(void)state;
	refused("ascend,table=none,addr=name", &f, "use addr=ip");
	refused("ascend,table=none,nic=off", &f, "nic=auto or nic=IFACE");
	refused("ascend,table=none,visible=one", &f, "remove visible=one");
	facts_set(&f, "SLURM_DIST_TRAIN_GPUS", "0");
	refused("ascend,table=none", &f, "1 NPUs for 2 processes");
	facts_set(&f, "SLURM_DIST_TRAIN_GPUS", "0-1");
	facts_set(&f, "SLURM_STEP_GPUS", "0");
	refused("ascend,table=none", &f,
		"remove --gpus-per-task and --gpu-bind");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(choice),
		cmocka_unit_test(alone),
		cmocka_unit_test(order),
		cmocka_unit_test(chief),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
