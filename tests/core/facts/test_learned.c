/* SPDX-License-Identifier: Apache-2.0 */
/* What tasks tell of their nodes, and what all learn of it. */
#include "core/facts/learned.h"

#include "tests/fixtures/unit.h"

static struct job job_of(unsigned ntasks, unsigned nnodes, const char *tasks)
{
	return (struct job){
		.ntasks = ntasks,
		.nnodes = nnodes,
		.node_name = (char *)"node1",
		.tasks = (char *)tasks,
	};
}

/* All tell their texts, last one first; what all get to know. */
static char *learn(struct job *job, unsigned what, const char *const *text,
		   struct err *err)
{
	struct learned *l = learned_new(job, what);
	char *all;

	assert_non_null(l);
	for (unsigned i = job->ntasks; i-- > 0;) {
		assert_int_equal(learned_add(l, i, text[i]), i);
		assert_int_equal(learned_add(l, i, text[i]), i); /* again */
	}
	all = learned_text(l, err);
	learned_free(l);
	return all;
}

static void words(void **state)
{
	unsigned what = 77;
	struct err err;

	(void)state;
	assert_int_equal(learned_words("counts,addrs", &what, &err), 0);
	assert_int_equal(what, LEARN_COUNTS | LEARN_ADDRS);
	assert_int_equal(learned_words("taskmap", &what, &err), 0);
	assert_int_equal(what, LEARN_TASKMAP);
	assert_int_equal(learned_words("", &what, &err), 0);
	assert_int_equal(what, 0);
	assert_int_equal(learned_words("counts,count", &what, &err), -1);
	assert_int_equal(learned_words("countsx", &what, &err), -1);
	assert_int_equal(what, 0);
}

static void own(void **state)
{
	char text[LEARNED_OWN_SIZE];
	struct job job = job_of(2, 2, "1(x2)");
	struct err err;

	(void)state;
	job.nodeid = 1;
	assert_int_equal(learned_own(&job, LEARN_TASKMAP, text, &err), 0);
	assert_string_equal(text, "1 - -");
	assert_int_equal(learned_own(&job, LEARN_COUNTS, text, &err), -1);
	assert_int_equal(learned_own(&job, LEARN_ADDRS, text, &err), -1);
	job.procs = (char *)"8";
	job.own_addr = (char *)"fe00::1";
	assert_int_equal(
		learned_own(&job, LEARN_COUNTS | LEARN_ADDRS, text, &err), 0);
	assert_string_equal(text, "1 8 fe00::1");
	job.procs = (char *)"8(x2)"; /* a list is srun's */
	assert_int_equal(learned_own(&job, LEARN_COUNTS, text, &err), -1);
}

static void there_and_back(void **state)
{
	static const char *const text[] = {"1 4 10.0.0.2", "0 8 10.0.0.1",
					   "2 8 10.0.0.3"};
	unsigned what = LEARN_COUNTS | LEARN_ADDRS | LEARN_TASKMAP;
	struct job job = job_of(3, 3, "1(x3)");
	struct err err;
	char *all = learn(&job, what, text, &err);

	(void)state;
	assert_string_equal(all, "counts 4,8(x2)\n"
				 "addrs 10.0.0.1,10.0.0.2,10.0.0.3\n"
				 "taskmap 1,0,2\n");
	job.procs = strdup("4");
	assert_int_equal(learned_apply(all, what, &job, &err), 0);
	assert_string_equal(job.procs, "4,8(x2)");
	assert_string_equal(job.addrs, "10.0.0.1,10.0.0.2,10.0.0.3");
	assert_string_equal(job.taskmap, "1,0,2");
	free(job.procs);
	free(job.addrs);
	free(job.taskmap);
	free(all);
}

/* Of a heterogeneous step by SLURM_NODEID, and no task says of its neighbour
 * what that says otherwise. */
static void components(void **state)
{
	static const char *const text[] = {"0 2 - 0 b -", "1 4 - 1 a 4,5",
					   "1 4 - 1 a 4,5"};
	static const char *const bad[] = {
		"0 2 -",	 "0 2 - 0",	"0 2 - 0 a",   "0 2 - 3 a -",
		"0 2 - 0 a,b -", "0 2 - x a -", "0 2 - 0 a x", "0 2 - 0 a 1 1"};
	unsigned what = LEARN_COUNTS | LEARN_COMPONENTS;
	struct job job = job_of(3, 2, "2,1"); /* a, b */
	struct learned *l = learned_new(&job, what);
	char own[LEARNED_OWN_SIZE];
	struct err err;
	char *all = learn(&job, what, text, &err);

	(void)state;
	assert_string_equal(all, "counts 2,4(x2)\nnodes b,a\n"
				 "firsts 0,1(x2)\ntasks 1,2\ngres a:4,5\n");
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_case(bad[i], learned_add(l, 0, bad[i]) < 0);
	learned_free(l);
	job.nodeid = 1;
	job.first = 1;
	job.procs = (char *)"4";
	assert_int_equal(learned_own(&job, what, own, &err), 0);
	assert_string_equal(own, "1 4 - 1 node1 -");
	job.devices.npu = true;
	job.devices.step = (struct idlist){2, {0, 7}};
	assert_int_equal(learned_own(&job, what, own, &err), 0);
	assert_string_equal(own, "1 4 - 1 node1 0,7");
	job.devices.npu = false;
	job.procs = NULL;
	job.tasks = strdup(job.tasks);
	assert_int_equal(learned_apply(all, what, &job, &err), 0);
	assert_string_equal(job.nodes, "b,a");
	assert_string_equal(job.tasks, "1,2");
	assert_null(job.taskmap);
	assert_string_equal(job.gres, "a:4,5");
	assert_true(job.devices.npu); /* of this node, too, which has none */
	free(job.gres);
	free(job.procs);
	free(job.firsts);
	free(job.nodes);
	free(job.tasks);
	free(all);
}

/* What all of many nodes get doesn't grow with their number where they are
 * alike. */
static void many(void **state)
{
	enum { N = 10000 };
	static const char *text[N];
	static char each[N][16];
	struct job job = job_of(N, N, "1(x10000)");
	struct err err;
	char *all;

	(void)state;
	for (unsigned i = 0; i < N; i++) {
		snprintf(each[i], sizeof(each[i]), "%u 8 -", i);
		text[i] = each[i];
	}
	all = learn(&job, LEARN_COUNTS | LEARN_TASKMAP, text, &err);
	assert_string_equal(all, "counts 8(x10000)\n");
	free(all);
}

static void nonsense(void **state)
{
	static const char *const bad[] = {
		"",
		"0",
		"0 8",
		"2 8 10.0.0.1",
		"-1 8 10.0.0.1",
		"0 -1 10.0.0.1",
		"0 8 node1",
		"0 8 10.0.0.1 x",
		"0 8  10.0.0.1",
		"0 99999999999 10.0.0.1",
	};
	struct job job = job_of(2, 2, "1(x2)");
	struct learned *l = learned_new(&job, LEARN_COUNTS | LEARN_ADDRS);

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_case(bad[i], learned_add(l, 0, bad[i]) == -1);
	learned_free(l);
}

static void contradictions(void **state)
{
	static const char *const both_on_one[] = {"1 1 10.0.0.1",
						  "1 1 10.0.0.2"};
	static const char *const bad[] = {
		"",	     "counts 1\n",	"counts 1(x3)\n", "counts x\n",
		"counts \n", "countsx 1(x2)\n", "addrs 1(x2)\n",
	};
	struct job job = job_of(2, 2, "1(x2)");
	struct err err;
	char *all;

	(void)state;
	all = learn(&job, LEARN_TASKMAP, both_on_one, &err);
	assert_int_equal(learned_apply(all, LEARN_TASKMAP, &job, &err), -1);
	free(all);
	assert_null(learn(&job, LEARN_ADDRS, both_on_one, &err));
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_case(bad[i], learned_apply(bad[i], LEARN_COUNTS, &job,
						  &err) == -1);
	assert_int_equal(
		learned_apply("addrs 10.0.0.1\n", LEARN_ADDRS, &job, &err), -1);
	assert_int_equal(
		learned_apply("addrs 10.0.0.1,n\n", LEARN_ADDRS, &job, &err),
		-1);
	assert_int_equal(learned_apply("taskmap 0(x9999999999)\n",
				       LEARN_TASKMAP, &job, &err),
			 -1);
	assert_null(job.procs);
	assert_null(job.addrs);
	assert_null(job.taskmap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),	  cmocka_unit_test(own),
		cmocka_unit_test(there_and_back), cmocka_unit_test(components),
		cmocka_unit_test(many),		  cmocka_unit_test(nonsense),
		cmocka_unit_test(contradictions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
