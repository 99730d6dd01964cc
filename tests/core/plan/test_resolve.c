/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/resolve.h"

#include "core/facts/learned.h"
#include "core/plan/framework.h"
#include "registry/registry.h"
#include "tests/fixtures/unit.h"

/* What is known of a step: so many tasks of so many nodes. */
static const struct job one_node = {
	.nnodes = 1, .ntasks = 1, .local_ntasks = 1};
static const struct job two_nodes = {
	.nnodes = 2, .ntasks = 2, .local_ntasks = 1};
static const struct job two_by_two = {
	.nnodes = 2, .ntasks = 4, .local_ntasks = 2};

static struct resolved resolved(const char *text, const struct job *job)
{
	struct resolved w;
	struct request r;
	struct err err;

	if (request_parse(text, NULL, NULL, &r, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	resolve(&r, job, &w);
	request_clear(&r);
	return w;
}

static void needs(void **state)
{
	struct resolved w = resolved("mpi", NULL);

	(void)state;
	assert_true(w.pmi && w.needs & NEEDS_PMI);
	assert_false(w.needs & NEEDS_HOST_FILE);
	w = resolved("mpi,run-on=first", NULL);
	assert_true(w.run_first && w.needs & NEEDS_HOST_FILE);
	assert_false(w.pmi || w.needs & NEEDS_PMI);
	assert_true(w.needs & NEEDS_TASKMAP);
	assert_false(resolved("horovod,controller=gloo", NULL).pmi);
	assert_false(resolved("ray,run-on=first", NULL).run_first);
	w = resolved("mpi,dialect=kubeflow", NULL);
	assert_true(w.run_first && w.needs & NEEDS_HOST_FILE);
	assert_true(resolved("paddle,dialect=kubeflow", NULL).launches);
}

static void tables(void **state)
{
	static const unsigned all =
		EXCHANGE_MAY_INVENTORY | EXCHANGE_MAY_PMIX | EXCHANGE_MAY_TCP;
	struct job npus = two_nodes;
	struct resolved w = resolved("ascend", &two_nodes);

	(void)state;
	assert_true(w.npu && w.table && !w.chief && w.exchange == all);
	w = resolved("ascend,table=none,exchange=pmix", &two_nodes);
	assert_true(w.npu && !w.table && w.chief && !w.exchange);
	w = resolved("ascend,exchange=none", &two_nodes);
	assert_true(w.exchange == EXCHANGE_MAY_INVENTORY);
	/* by its devices, or by the version */
	w = resolved("mindspore", &two_nodes);
	assert_true(!w.npu && !w.table && w.exchange == all);
	assert_true(resolved("mindspore", NULL).table);
	assert_true(resolved("mindspore,table=1.2", &two_nodes).table);
	npus.devices.npu = true;
	assert_true(resolved("mindspore", &npus).table);
	w = resolved("mindspore,table=none", &npus);
	assert_true(w.npu && !w.table && !w.chief);
	assert_false(resolved("mindspore,run-on=first", &npus).npu);
	assert_false(resolved("ddp", &npus).npu || resolved("ddp", NULL).npu);
}

static void addresses(void **state)
{
	(void)state;
	assert_true(resolved("ddp", &one_node).loopback);
	assert_false(resolved("ddp", &two_nodes).loopback);
	assert_false(resolved("ddp,addr=ip", &one_node).loopback);
	assert_false(resolved("ascend,table=none", &one_node).loopback);
	assert_false(resolved("ddp,addr=nic:x", &one_node).address_is_told);
	assert_true(resolved("ddp,addr=nic:x", &two_nodes).address_is_told);
	assert_true(resolved("ddp,addr=nic:x", NULL).address_is_told);
	assert_true(resolved("tf,addr=ip", &two_nodes).addresses);
	assert_false(resolved("tf,addr=ip", &one_node).addresses);
	assert_false(resolved("ddp,addr=ip", &two_nodes).addresses);
	assert_true(resolved("ddp", NULL).find_nic);
	assert_false(resolved("ddp,nic=off", NULL).find_nic);
	assert_false(resolved("ddp,nic=ib0", NULL).find_nic);
	assert_true(resolved("ascend", &two_nodes).own_address);
	assert_true(resolved("vllm", &two_nodes).own_address);
	assert_false(resolved("ascend", &one_node).own_address);
	assert_false(resolved("tf", &two_nodes).own_address);
}

static void modes(void **state)
{
	struct job counted = two_nodes;
	char equal[] = "2(x2)", ones[] = "1(x2)";

	(void)state;
	assert_false(resolved("ddp", &two_nodes).device_mode);
	counted.procs = equal;
	assert_true(resolved("ddp", &counted).device_mode);
	assert_true(resolved("mpi", &counted).device_mode);
	counted.procs = ones;
	assert_false(resolved("ddp", &counted).device_mode);
	assert_false(resolved("mpi,procs=device", &counted).device_mode);
	assert_true(resolved("ddp,procs=2", &two_nodes).device_mode);
	assert_false(resolved("ddp,procs=task", &counted).device_mode);
	assert_false(resolved("torchrun,procs=2", &two_nodes).device_mode);
	assert_false(resolved("ddp,run-on=first,procs=2", NULL).device_mode);
	/* what may be */
	assert_true(resolved("ddp", NULL).device_mode);
	assert_true(resolved("tf-ps", &two_nodes).device_mode);
	assert_false(resolved("tf-ps", &two_by_two).device_mode);
	assert_false(resolved("tf-ps,ps=1,workers=1", &two_nodes).device_mode);
	assert_true(resolved("ddp", &two_nodes).device_counts);
	assert_false(resolved("ddp", &two_by_two).device_counts);
	assert_false(resolved("ddp,procs=2", &two_nodes).device_counts);
}

static unsigned learns(const char *text, const struct job *job, bool devices,
		       bool named)
{
	struct resolved w;
	struct request r;
	struct err err;
	unsigned what;

	if (request_parse(text, NULL, NULL, &r, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	resolve(&r, job, &w);
	what = resolve_unhooked_learn(&r, &w, job, devices, named);
	request_clear(&r);
	return what;
}

/* What launchers ask each other where no srun has told. */
static void unhooked(void **state)
{
	static char dealt[] = "cyclic";
	struct job gpus = two_nodes, cyclic = two_by_two;

	(void)state;
	gpus.devices.step.n = 2;
	cyclic.taskmap = dealt;
	assert_int_equal(learns("ddp", &gpus, false, true), LEARN_COUNTS);
	assert_int_equal(learns("ddp", &two_nodes, true, true), LEARN_COUNTS);
	assert_int_equal(learns("ddp", &two_nodes, false, true), 0);
	assert_int_equal(learns("ddp,procs=2", &gpus, false, true), 0);
	assert_int_equal(
		learns("ddp,procs=2,supervise=yes", &gpus, false, true), 0);
	assert_int_equal(learns("ddp", &one_node, true, true), 0);
	assert_int_equal(learns("tf,procs=task", &two_by_two, false, true),
			 LEARN_TASKMAP);
	assert_int_equal(learns("tf,procs=task", &cyclic, false, true), 0);
	assert_int_equal(learns("tf,procs=task,addr=ip", &cyclic, false, true),
			 LEARN_ADDRS);
	assert_int_equal(learns("tf,procs=task", &cyclic, false, false),
			 LEARN_ADDRS);
	assert_int_equal(
		learns("tf,procs=task,addr=name", &cyclic, false, false), 0);
}

static void visible(void **state)
{
	(void)state;
	assert_int_equal(resolved("ddp", NULL).visible, VISIBLE_AUTO);
	assert_int_equal(resolved("ddp,visible=all", NULL).visible,
			 VISIBLE_ALL);
	assert_int_equal(resolved("tf", NULL).visible, VISIBLE_ONE);
	assert_int_equal(resolved("ascend", NULL).visible, VISIBLE_ALL);
	assert_int_equal(resolved("ascend,visible=one", NULL).visible,
			 VISIBLE_ONE);
}

/* Why the launcher is needed; NULL: it isn't. */
static void launcher_why(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"ddp", NULL},
		{"ddp,supervise=yes", NULL},
		{"ddp,label=yes", "label=yes"},
		{"ddp,label=no,overwrite=yes", NULL},
		{"ddp,log-dir=x,log-tee=0", "log-dir"},
		{"ddp,timeline=x", "timeline"},
		{"ddp,timeline=none", NULL},
		{"ddp,restarts=1", "restarts"},
		{"ddp,restarts=0", NULL},
		{"ddp,check=fast", "check"},
		{"ddp,check=full", "check"},
		{"ddp,check=off", NULL},
		{"ddp,early-exit=fail", "early-exit=fail"},
		{"ddp,on-silence=fail", "on-silence=fail"},
		{"ddp,on-node-loss=requeue", "on-node-loss=requeue"},
		{"ddp,lease=5", "lease"},
		{"ddp,grace=5", "grace"},
		{"ascend", "the rank table"},
		{"ascend,table=none", NULL},
		{"tf-ps,server=stock", "server=stock"},
		{"mpi,run-on=first", "run-on=first"},
		{"mpi,dialect=volcano,run-on=all", "the host file"},
		{"ddp,dialect=modelarts", "a dialect that adds arguments"},
		{"vllm", "a framework that adds arguments"},
		{"ascend,table=none,dialect=recsdk",
		 "a dialect whose script starts the processes"},
		{"ddp,addr=nic:ib0", "addr=nic in a step of several nodes"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *why =
			resolved(cases[i].text, &two_nodes).launcher_why;

		if (!cases[i].why != !why ||
		    (why && strcmp(why, cases[i].why) != 0))
			fail_msg("%s: %s", cases[i].text, why ? why : "none");
	}
}

/* Where the plugin can do it for all of the step's nodes. */
static struct job kept_step(void)
{
	struct job job = two_by_two;

	job.keepers = true;
	job.nodes = (char *)"node[3-4]";
	job.rank0_node = (char *)"node3";
	job.gres = (char *)"node[3-4]:0-1";
	return job;
}

static void one_launcher_for_a_node(void **state)
{
	static const struct {
		const char *text;
		bool one;
	} cases[] = {
		{"ascend,procs=task", true},
		{"ascend,procs=task,grace=1,lease=9", true},
		{"ddp,supervise=yes", true},
		{"ddp,grace=1,early-exit=fail,on-silence=fail", true},
		{"jax,supervise=yes", true},
		{"ddp", false}, /* no launcher at all */
		{"ascend,procs=task,label=yes", false},
		{"ascend,procs=task,restarts=1", false},
		{"ascend,procs=task,hang=60", false},
		{"ascend,procs=task,exchange=pmix", false},
		{"ascend,procs=task,explain=only", false},
		{"ddp,grace=1,timeline=x", false},
		{"ddp,grace=1,metrics=on", false},
		{"ddp,procs=2,grace=1", false},
		{"mpi,supervise=yes", false},
		{"mindspore", false},
		{"ray,supervise=yes", false},
		{"tf-ps,ps=1,workers=3", false},
	};
	const struct job job = kept_step();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (resolved(cases[i].text, &job).node_launcher != cases[i].one)
			fail_msg("%s", cases[i].text);
	assert_true(resolved("ascend", NULL).node_launcher);
	assert_false(resolved("ascend,label=yes", NULL).node_launcher);
	assert_false(resolved("ascend,procs=device", NULL).node_launcher);
}

/* All nodes find the same by these facts. */
static void steps_with_more_launchers(void **state)
{
	static const char text[] = "ascend,procs=task";
	struct job job = kept_step();

	(void)state;
	job.keepers = false;
	assert_false(resolved(text, &job).node_launcher);
	job = kept_step();
	job.gres = NULL;
	assert_false(resolved(text, &job).node_launcher);
	assert_true(resolved("ddp,grace=1", &job).node_launcher);
	job = kept_step();
	job.het = true;
	assert_false(resolved(text, &job).node_launcher);
	job = kept_step();
	job.rank0_node = (char *)"node4";
	assert_false(resolved(text, &job).node_launcher);
	job = kept_step();
	job.ntasks = 2;
	assert_false(resolved(text, &job).node_launcher);
	job = kept_step();
	job.mpi_type = (char *)"pmix_v4";
	assert_false(resolved(text, &job).node_launcher);
	assert_true(
		resolved("ascend,procs=task,exchange=tcp", &job).node_launcher);
}

static bool may_launch(const char *text, unsigned local_ntasks)
{
	struct resolved w;
	struct request r;
	struct err err;
	bool may;

	if (request_parse(text, NULL, NULL, &r, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	resolve(&r, NULL, &w);
	may = resolved_may_launch(&r, &w, local_ntasks);
	request_clear(&r);
	return may;
}

/* A TaskProlog may give each of a node's tasks another list of devices: what
 * divides it has to look at it afterwards. */
static void task_prolog(void **state)
{
	struct job prolog = two_by_two, alone = two_nodes;

	(void)state;
	prolog.task_prolog = alone.task_prolog = prolog.keepers = true;
	assert_non_null(resolved("ddp,visible=one,supervise=yes", &prolog)
				.launcher_why);
	assert_false(resolved("ddp,visible=one,supervise=yes", &prolog)
			     .node_launcher);
	assert_non_null(
		resolved("ddp,local-rank=device", &prolog).launcher_why);
	assert_non_null(resolved("tf", &prolog).launcher_why);
	assert_null(resolved("ddp", &prolog).launcher_why);
	assert_null(resolved("ddp,visible=all", &prolog).launcher_why);
	assert_null(
		resolved("ddp,visible=one,supervise=no", &prolog).launcher_why);
	assert_null(resolved("ddp,visible=one", &alone).launcher_why);
	assert_null(resolved("ddp,visible=one", &two_by_two).launcher_why);
}

/* What slurmstepd has to prepare for, before it knows the step. */
static void before_the_step(void **state)
{
	(void)state;
	assert_true(may_launch("ddp", 1));
	assert_false(may_launch("ddp", 2));
	assert_true(may_launch("ddp,supervise=yes", 2));
	assert_false(may_launch("ddp,procs=task", 1));
	assert_true(may_launch("ddp,visible=one", 2));
	assert_false(may_launch("ddp,visible=one,supervise=no", 2));
	assert_false(may_launch("ddp,supervise=no", 1));
	assert_true(may_launch("ddp,addr=nic:x", 2));
	assert_true(may_launch("tf-ps", 2));
	assert_true(may_launch("mindspore", 2));
	/* a folder to remove if it is killed */
	assert_true(resolved("ddp", NULL).folder);
	assert_true(resolved("mpi,run-on=first", NULL).folder);
	assert_true(resolved("ray", NULL).folder);
	assert_true(resolved("jax,addr=nic:x", NULL).folder);
	assert_false(resolved("jax", NULL).folder);
	assert_true(resolved("ddp,on-node-loss=requeue", NULL).requeue);
	assert_false(resolved("ddp", NULL).requeue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(needs),
		cmocka_unit_test(tables),
		cmocka_unit_test(addresses),
		cmocka_unit_test(modes),
		cmocka_unit_test(unhooked),
		cmocka_unit_test(visible),
		cmocka_unit_test(launcher_why),
		cmocka_unit_test(one_launcher_for_a_node),
		cmocka_unit_test(steps_with_more_launchers),
		cmocka_unit_test(task_prolog),
		cmocka_unit_test(before_the_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
