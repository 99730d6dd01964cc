/* SPDX-License-Identifier: Apache-2.0 */
/* What is foreseen of a step, and of the ports that it will need. */
#include "core/plan/srun_hint.h"

#include "registry/registry.h"
#include "tests/fixtures/unit.h"

/* A command line as srun has it, or variables as "NAME=VALUE" behind "env". */
static struct srun_hint guess_of(const char *line)
{
	struct srun_hint g = {0};
	char copy[256], *word[32] = {NULL}, *save = NULL;
	unsigned n = 0, i;

	snprintf(copy, sizeof(copy), "%s", line);
	for (char *w = strtok_r(copy, " ", &save); w;
	     w = strtok_r(NULL, " ", &save))
		word[n++] = w;
	for (i = 0; i < n && strcmp(word[i], "env") != 0; i++)
		srun_hint_word(&g, word[i], word[i + 1]);
	for (i++; i < n; i++) {
		char *eq = strchr(word[i], '=');

		*eq = '\0';
		srun_hint_variable(&g, word[i], eq + 1);
	}
	return g;
}

static void words(void **state)
{
	static const struct {
		const char *line;
		struct srun_hint guess;
	} cases[] = {
		{"srun true", {0}},
		{"srun -N2 -n 4 --ntasks-per-node=2 x", {2, 4, 2, 0, 0}},
		{"srun --nodes 3 --ntasks=3 x", {3, 3, 0, 0, 0}},
		{"srun -N 2-4 x", {2, 0, 0, 0, 1}},
		{"srun --gres=gpu:a100:4,shard:2 x", {0, 0, 0, 4, 0}},
		{"srun --gres gpu x", {0, 0, 0, 1, 0}},
		{"srun --gpus-per-node=a100:8 x", {0, 0, 0, 8, 0}},
		/* the program's own words come later, and say nothing new */
		{"srun -N2 python x.py -N 7 --nodes=9", {2, 0, 0, 0, 0}},
		{"srun -N", {0}},
		{"srun --nodes= --nodesx=4 --nodefile=5", {0}},
		{"srun -N99999999999999999999", {65535, 0, 0, 0, 0}},
		{"srun -N2 env SLURM_NNODES=4 SLURM_NTASKS=4", {2, 4, 0, 0, 0}},
		{"srun env SLURM_JOB_NUM_NODES=4 SLURM_GPUS_ON_NODE=8",
		 {4, 0, 0, 8, 0}},
		{"srun env PATH=3", {0}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct srun_hint g = guess_of(cases[i].line);

		assert_case(cases[i].line,
			    !memcmp(&g, &cases[i].guess, sizeof(g)));
	}
}

static void ports(void **state)
{
	static const struct {
		const char *option, *line;
		unsigned ports;
	} cases[] = {
		{"tf,procs=4", "srun -N2", 4},
		{"tf", "srun -N2 --gres=gpu:8", 8},
		{"tf,procs=device", "srun -N2 --gpus-per-node=8", 8},
		{"sglang", "srun -N2", 14},
		{"sglang,port=7000", "srun -N2", 0},
		{"vllm", "srun -N2", 0},
		/* Slurm's own number will do */
		{"tf,procs=2", "srun -N2", 0},
		{"tf,procs=4", "srun -N2 -n8", 0},
		{"tf,procs=4", "srun --ntasks-per-node=4", 0},
		{"tf,procs=task", "srun -N2 --gres=gpu:8", 0},
		{"tf", "srun -N2", 0},
		{"tf,procs=4,port=7000", "srun -N2", 0},
		{"ddp,procs=8", "srun -N2", 0},
		{"tf,procs=4", "srun -N2 -n2", 4},
		/* a ps, a worker, and on one node the chief */
		{"tf-ps", "srun -N3", 0},
		{"tf-ps,chief=1", "srun -N3", 3},
		{"tf-ps,chief=1,evaluator=1", "srun -N1", 4},
		{"tf-ps,ps=2,workers=16", "srun -N4", 5},
		{"tf-ps,ps=2,workers=16", "srun -N4 -n18", 0},
		{"tf-ps,ps=2,workers=16", "srun x", 18},
		{"tf-ps,procs=4", "srun -N2", 5},
		{"tf-ps,procs=device", "srun -N2 --gres=gpu:4", 5},
		/* the lighthouse, and stores of some rounds */
		{"torchft", "srun -N2 -n8", 4},
		{"torchft,port=7000", "srun -N2", 0},
		/* nodes would be empty: refused later */
		{"tf-ps,ps=1,workers=1", "srun -N4", 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct srun_hint g = guess_of(cases[i].line);
		struct request r;
		struct err err;

		assert_int_equal(
			request_parse(cases[i].option, NULL, NULL, &r, &err),
			0);
		assert_case(cases[i].option,
			    srun_hint_ports(&r, &g) == cases[i].ports);
		request_clear(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),
		cmocka_unit_test(ports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
