/* SPDX-License-Identifier: Apache-2.0 */
/* What the step of --all-reduce prints, and the findings of it. */
#include "helpers/cli/doctor/all_reduce.h"

#include "tests/fixtures/unit.h"

#define BEGIN                                                                  \
	"srun: a line of another\n" ALL_REDUCE_MARK                            \
	" {\"backend\":\"nccl\",\"torch\":\"2.6.0\",\"world_size\":32,"        \
	"\"sizes\":[{\"bytes\":8,\"seconds\":1e-5,\"bus_bytes_per_s\":1e6},"   \
	"{\"bytes\":268435456,\"seconds\":0.003,"                              \
	"\"bus_bytes_per_s\":1.8e11}],\"nodes\":[\"n1\",\"n2\",\"n3\","        \
	"\"n4\"],\"rounds\":3,"
#define IB "\"networks\":[[\"IB\",32,64,64,\"[0]mlx5_0:1/IB\"]],"
#define PAIRS(a, b, c, d, e, f)                                                \
	"\"pairs\":[[0,1," #a "],[0,2," #b "],[0,3," #c "],[1,2," #d           \
	"],[1,3," #e "],[2,3," #f "]]}\n"
#define EVEN PAIRS(4e10, 4e10, 4.1e10, 3.9e10, 4e10, 4e10)

static const struct {
	const char *output, *fact, *findings; /* that aren't ok */
} cases[] = {
	{BEGIN IB EVEN, "", ""},
	/* One node; one pair; none far enough */
	{BEGIN IB PAIRS(4e10, 4e10, 1e9, 4e10, 1e9, 1.1e9), "",
	 "warn pairs n4 slow with every other node: at most 1.1 GB/s, others "
	 "reach 40\n"},
	{BEGIN IB PAIRS(4e10, 1e9, 4e10, 4e10, 4e10, 4e10), "",
	 "warn pairs n1 slow with n3: 1 GB/s, other pairs reach 40\n"},
	{BEGIN IB PAIRS(4e10, 2.1e10, 4e10, 4e10, 4e10, 4e10), "", ""},
	{BEGIN IB "\"pairs\":[[0,1,5e9]]}", "", ""},
	/* No figure is not well: of all, of one pair, of none */
	{BEGIN IB "\"pairs\":[]}", "",
	 "warn pairs n1,n2,n3,n4 no pair of nodes was measured\n"},
	{BEGIN IB PAIRS(0, 0, 0, 0, 0, 0), "",
	 "fail pairs n1,n2,n3,n4 no pair of nodes has a rate\n"},
	{BEGIN IB PAIRS(4e10, 4e10, 0, 4e10, 0, 0), "",
	 "warn pairs n4 slow with every other node: at most 0 GB/s, others "
	 "reach 40\n"},
	{BEGIN IB PAIRS(4e10, 0, 0, 0, 0, 0), "",
	 "warn pairs n3,n4 slow with every other node: at most 0 GB/s, others "
	 "reach 40\n"},
	/* The network */
	{BEGIN
	 "\"networks\":[[\"Socket\",32,64,0,\"[0]eth0:10.0.0.1<0>\"]]," EVEN,
	 "", ""},
	{BEGIN
	 "\"networks\":[[\"Socket\",8,64,0,\"[0]eth0:10.0.0.1<0>\"]]," EVEN,
	 DOCTOR_MARK " n2 rdma mlx5_0/1=ACTIVE,LinkUp,400,InfiniBand",
	 "warn network n1 NCCL took TCP (NET/Socket) on 8 ranks, though the "
	 "nodes have active InfiniBand or RoCE ports\n"},
	{BEGIN "\"networks\":[[\"IB\",32,64,60,\"[0]mlx5_0:1/IB\"]]," EVEN, "",
	 "warn network n1 4 of 64 channels between nodes go without GPUDirect "
	 "RDMA\n"},
	/* What went wrong */
	{ALL_REDUCE_MARK " {\"error\": \"n3: no torch\"}\nmore\n", "",
	 "fail all-reduce n3 no torch\n"},
	{ALL_REDUCE_MARK " {\"error\": \"x\\u001b[2J\\ny\"}\n", "",
	 "fail all-reduce n1 x?[2J?y\n"},
	{"Traceback\ndist-train: rank 3 on n2: exit code 1\nsrun: error\n", "",
	 "fail all-reduce n2 rank 3 on n2: exit code 1\n"},
	{"srun: error: n3: task 1: Killed\n", "",
	 "fail all-reduce n3 srun: error: n3: task 1: Killed\n"},
	{"srun: error: n33, xn2, n4-a\n", "",
	 "fail all-reduce n1 srun: error: n33, xn2, n4-a\n"},
	{"one\nsrun: error: it's over\n\n", "",
	 "fail all-reduce n1 srun: error: it's over\n"},
	{"", "", "fail all-reduce n1 it printed nothing\n"},
	{ALL_REDUCE_MARK " {\"sizes\":", "",
	 "fail all-reduce n1 dist-train-all-reduce {\"sizes\":\n"},
	{ALL_REDUCE_MARK " {}\n", "",
	 "fail all-reduce n1 nothing was measured\n"},
	/* What isn't as it should be */
	{BEGIN IB "\"pairs\":[[0,9,1],[0],5,[0,-1,1],[1e99,2,3],"
		  "[0,1,\"x\"],{}]}",
	 "", "warn pairs n1 slow with n2: 0 GB/s, other pairs reach 3e-09\n"},
	{BEGIN "\"networks\":[5,[],[null,1e99]],\"pairs\":7}", "",
	 "warn pairs n1,n2,n3,n4 no pair of nodes was measured\n"},
};

static void keep(char *ret, size_t size, const struct doctor *d)
{
	*ret = '\0';
	for (size_t i = 0; i < d->nfindings; i++) {
		const struct doctor_finding *f = &d->finding[i];
		size_t used = strlen(ret);

		if (f->level != DOCTOR_OK)
			snprintf(ret + used, size - used, "%s %s %s %s\n",
				 doctor_level_name(f->level), f->check,
				 f->nodes, f->text);
	}
}

static void each_output(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct all_reduce a = {.npairs = 0};
		char found[2048];
		struct doctor d;
		struct err err;

		assert_int_equal(doctor_open(&d, "n[1-4]", &err), 0);
		if (*cases[i].fact)
			assert_true(doctor_add_line(&d, cases[i].fact));
		assert_int_equal(all_reduce_read(cases[i].output, &d, &a, &err),
				 0);
		assert_int_equal(all_reduce_judge(&d, &a, &err), 0);
		keep(found, sizeof(found), &d);
		assert_string_equal(found, cases[i].findings);
		all_reduce_clear(&a);
		doctor_clear(&d);
	}
}

/* Gloo is as slow as the processors are busy. */
static void on_processors(void **state)
{
	struct all_reduce_pair pair[] = {
		{{0, 1}, 4e9}, {{0, 2}, 1.6e9}, {{1, 2}, 4e9}};
	struct all_reduce a = {
		.backend = "gloo", .nsizes = 1, .npairs = 3, .pair = pair};
	struct doctor d;
	struct err err;

	(void)state;
	assert_true(all_reduce_median(&a) > 3.9e9);
	assert_int_equal(doctor_open(&d, "n[1-3]", &err), 0);
	assert_int_equal(all_reduce_judge(&d, &a, &err), 0);
	assert_int_equal(doctor_worst(&d), DOCTOR_OK);
	pair[1].rate = 1e9;
	assert_int_equal(all_reduce_judge(&d, &a, &err), 0);
	assert_int_equal(doctor_worst(&d), DOCTOR_WARN);
	doctor_clear(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_output),
		cmocka_unit_test(on_processors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
