/* SPDX-License-Identifier: Apache-2.0 */
/* The facts of a step that has only the world's nodes. */
#include "core/facts/places.h"

#include "tests/fixtures/job_fixture.h"

/* A step, and where its places are. */
struct step {
	unsigned nnodes, node_tasks;
	const char *nodes, *addrs, *procs, *taskmap, *places;
};

/* What is expected of one task of it. */
struct expected {
	unsigned nnodes, ntasks, nodeid, procid;
	const char *nodes, *addrs, *tasks, *procs, *rank0, *rank0_addr;
};

static void set(struct facts *f, const char *name, const char *value)
{
	if (value)
		facts_set(f, name, value);
}

/* The task on node `node` with that SLURM_LOCALID. */
static void read_step(const struct step *s, unsigned node, unsigned local,
		      struct job *ret)
{
	unsigned n = s->node_tasks;
	struct facts f = facts_task(n * s->nnodes, s->nnodes, node * n + local,
				    local, node,
				    n == 1   ? "0"
				    : n == 2 ? "0,1"
					     : "0,1,2");
	char tasks[32];
	struct err err;

	facts_handover(&f);
	snprintf(tasks, sizeof(tasks), "%u(x%u)", n, s->nnodes);
	facts_set(&f, "SLURM_STEP_TASKS_PER_NODE", tasks);
	set(&f, "SLURM_STEP_NODELIST", s->nodes);
	set(&f, "SLURM_DIST_TRAIN_ADDRS", s->addrs);
	set(&f, "SLURM_DIST_TRAIN_PROCS", s->procs);
	set(&f, "SLURM_DIST_TRAIN_TASKMAP", s->taskmap);
	set(&f, "SLURM_DIST_TRAIN_GRES", "node[1-5]:0-3");
	set(&f, "SLURM_DIST_TRAIN_NIC", "eth0");
	set(&f, "SLURM_DIST_TRAIN_PROFILE", "A=1\nP+=/opt\n");
	set(&f, "SLURM_STEP_RESV_PORTS", "21000-21003");
	set(&f, "SLURM_RESTART_COUNT", "2");
	if (job_read(facts_lookup, &f, false, ret, &err) < 0)
		fail_msg("%s", err.text);
}

static int make(const struct job *job, const char *places, struct job *ret,
		struct err *err)
{
	struct places p;
	int rc;

	if (places_parse(places, job->nnodes, &p, err) < 0)
		fail_msg("%s", err->text);
	rc = job_world(job, &p, ret, err);
	places_clear(&p);
	return rc;
}

static void same(const char *what, const char *a, const char *b)
{
	if (!a != !b || (a && strcmp(a, b) != 0))
		fail_msg("%s: %s, not %s", what, a ? a : "NULL",
			 b ? b : "NULL");
}

static void check(const struct step *s, unsigned node, unsigned local,
		  const struct expected *e)
{
	struct job step, job;
	struct err err;

	read_step(s, node, local, &step);
	if (make(&step, s->places, &job, &err) < 0)
		fail_msg("%s: %s", s->places, err.text);
	assert_int_equal(job.nnodes, e->nnodes);
	assert_int_equal(job.ntasks, e->ntasks);
	assert_int_equal(job.nodeid, e->nodeid);
	assert_int_equal(job.place, e->nodeid);
	assert_int_equal(job.procid, e->procid);
	assert_int_equal(job.localid, local);
	assert_int_equal(job.local_ntasks, s->node_tasks);
	same("nodes", job.nodes, e->nodes);
	same("addrs", job.addrs, e->addrs);
	same("tasks", job.tasks, e->tasks);
	same("procs", job.procs, e->procs);
	same("rank0_node", job.rank0_node, e->rank0);
	same("rank0_addr", job.rank0_addr, e->rank0_addr);
	same("taskmap", job.taskmap, NULL);
	same("node_name", job.node_name, step.node_name);
	same("nic", job.nic, "eth0");
	same("gres", job.gres, "node[1-5]:0-3");
	same("resv_ports", job.resv_ports, "21000-21003");
	assert_int_equal(job.job_id, 4711);
	assert_int_equal(job.restart, 2);
	assert_int_equal(job.profile.n, 2);
	assert_int_equal(job.devices.step.n, 4);
	assert_true(job.devices.npu);
	job_clear(&step);
	assert_string_equal(job.profile.line[1].value, "/opt");
	job_clear(&job);
}

#define NODES "node[1-5]"
#define ADDRS "10.0.0.1,10.0.0.2,10.0.0.3,10.0.0.4,10.0.0.5"

static void devices_by_node(void **state)
{
	static const struct step first = {5,	       1,    NODES, ADDRS,
					  "4(x3),2,8", NULL, "0-3"};
	static const struct step replaced = {5,		  1,	NODES,	  ADDRS,
					     "4(x3),2,8", NULL, "0,4,2-3"};
	static const struct step lost0 = {5,	       1,    NODES,  ADDRS,
					  "4(x3),2,8", NULL, "4,1-3"};

	(void)state;
	check(&first, 1, 0,
	      &(struct expected){4, 4, 1, 1, "node[1-4]",
				 "10.0.0.1,10.0.0.2,10.0.0.3,10.0.0.4", "1(x4)",
				 "4(x3),2", "node1", "10.0.0.1"});
	check(&first, 4, 0,
	      &(struct expected){4, 4, PLACE_NONE, PLACE_NONE, "node[1-4]",
				 "10.0.0.1,10.0.0.2,10.0.0.3,10.0.0.4", "1(x4)",
				 "4(x3),2", "node1", "10.0.0.1"});
	check(&replaced, 4, 0,
	      &(struct expected){4, 4, 1, 1, "node[1,5,3-4]",
				 "10.0.0.1,10.0.0.5,10.0.0.3,10.0.0.4", "1(x4)",
				 "4,8,4,2", "node1", "10.0.0.1"});
	check(&lost0, 4, 0,
	      &(struct expected){4, 4, 0, 0, "node[5,2-4]",
				 "10.0.0.5,10.0.0.2,10.0.0.3,10.0.0.4", "1(x4)",
				 "8,4(x2),2", "node5", "10.0.0.5"});
}

/* Tasks are in blocks of the world, whatever Slurm's distribution was. */
static void tasks(void **state)
{
	static const char *const maps[] = {NULL, "cyclic",
					   "4(x2),0(x2),1(x2),2(x2),3(x2)"};

	(void)state;
	for (size_t i = 0; i < COUNT(maps); i++) {
		const struct step s = {5,    2,	      NODES,  NULL,
				       NULL, maps[i], "3,1,0"};

		check(&s, 1, 1,
		      &(struct expected){3, 6, 1, 3, "node[4,2,1]", NULL,
					 "2(x3)", NULL, "node4", NULL});
		check(&s, 3, 0,
		      &(struct expected){3, 6, 0, 0, "node[4,2,1]", NULL,
					 "2(x3)", NULL, "node4", NULL});
	}
}

/* Each task's devices are counted by task, places are of nodes. */
static void devices_of_other_tasks(void **state)
{
	static const struct step s = {5,	   1,		NODES,	NULL,
				      "1,2,3,4,5", "4,3,2,1,0", "0-2,4"};

	(void)state;
	check(&s, 2, 0,
	      &(struct expected){4, 4, 2, 2, "node[1-3,5]", NULL, "1(x4)",
				 "5,4,3,1", "node1", "10.0.0.1"});
}

static void one_node(void **state)
{
	static const struct step s = {3, 3, "a,b7,c", NULL, NULL, NULL, "1"};

	(void)state;
	check(&s, 1, 2,
	      &(struct expected){1, 3, 0, 2, "b7", NULL, "3", NULL, "b7",
				 NULL});
	check(&s, 0, 0,
	      &(struct expected){1, 3, PLACE_NONE, PLACE_NONE, "b7", NULL, "3",
				 NULL, "b7", NULL});
}

/* Nodes with different numbers of tasks, in another order. */
static void uneven(void **state)
{
	struct facts f = facts_task(6, 3, 5, 2, 2, "3,4,5");
	struct places p;
	struct job step, job;
	struct err err;

	(void)state;
	facts_handover(&f);
	facts_set(&f, "SLURM_STEP_NODELIST", "node[1-3]");
	facts_set(&f, "SLURM_STEP_TASKS_PER_NODE", "1,2,3");
	facts_set(&f, "SLURM_DIST_TRAIN_ORDER", "0;2,1");
	assert_int_equal(job_read(facts_lookup, &f, false, &step, &err), 0);
	assert_int_equal(places_parse("0,2,1", 3, &p, &err), 0);
	assert_int_equal(job_world(&step, &p, &job, &err), 0);
	assert_int_equal(job.ntasks, 6);
	assert_int_equal(job.procid, 3);
	assert_int_equal(job.nodeid, 1);
	same("nodes", job.nodes, "node[1,3,2]");
	same("tasks", job.tasks, "1,3,2");
	same("order", job.order, "0;2,1");
	places_clear(&p);
	job_clear(&job);
	job_clear(&step);
}

static void refused(void **state)
{
	static const struct step s = {5, 1, NODES, ADDRS, NULL, NULL, "0"};
	static const struct {
		const char *nodes, *tasks, *addrs, *procs, *why;
	} bad[] = {
		{NODES, "1(x4)", NULL, NULL, "isn't a list of 5 tasks"},
		{NODES, "2,1(x4)", NULL, NULL, "isn't a list of 5 tasks"},
		{"node[1-4]", "1(x5)", NULL, NULL, "isn't a list of 5 nodes"},
		{NODES, "1(x5)", "10.0.0.1", NULL, "one for each of 5"},
		{NODES, "1(x5)", NULL, "1,2", "list of 5 counts"},
		{NULL, "1(x5)", NULL, NULL, "isn't set"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct job step, own, job = {.node_name = NULL};
		struct err err = {""};

		read_step(&s, 1, 0, &own);
		step = own;
		step.nodes = (char *)bad[i].nodes;
		step.tasks = (char *)bad[i].tasks;
		step.addrs = (char *)bad[i].addrs;
		step.procs = (char *)bad[i].procs;
		assert_case(bad[i].why, make(&step, "0-3", &job, &err) < 0);
		assert_case(err.text, strstr(err.text, bad[i].why));
		assert_null(job.node_name);
		job_clear(&own);
	}
}

int main(void)
{
	const struct CMUnitTest tests_of_it[] = {
		cmocka_unit_test(devices_by_node),
		cmocka_unit_test(tasks),
		cmocka_unit_test(devices_of_other_tasks),
		cmocka_unit_test(one_node),
		cmocka_unit_test(uneven),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests_of_it, NULL, NULL);
}
