/* SPDX-License-Identifier: Apache-2.0 */
/* Which commands a framework refuses, which it remarks upon. */
#include "core/command/step_command_check.h"

#include "registry/registry.h"
#include "tests/fixtures/unit.h"

/* The only PET_ variable of the user, as NAME=VALUE. */
static const char *pet_variable;

static char *user_variable(const char *name)
{
	size_t n = strlen(name);

	if (!pet_variable || strncmp(pet_variable, name, n) != 0 ||
	    pet_variable[n] != '=')
		return NULL;
	return (char *)(uintptr_t)(pet_variable + n + 1);
}

/* The answer: a refusal, a remark, or "". */
static const char *answer(const char *option, unsigned nnodes, unsigned world,
			  const struct step_command *c, const char *pet)
{
	static struct err err;
	static char remark[600];
	const struct job job = {.nnodes = nnodes, .ntasks = world};
	struct request r;
	struct plan plan = {
		.request = &r, .nnodes = nnodes, .world_size = world};
	const char *ret = "";

	pet_variable = pet;
	if (request_parse(option, NULL, NULL, &r, &err) < 0)
		fail_msg("%s: %s", option, err.text);
	resolve(&r, &job, &plan.resolved);
	if (step_command_check_words(&r, &plan.resolved, world, c, &err) < 0 ||
	    step_command_check(&plan, c, user_variable, &err) < 0)
		ret = err.text;
	else if (step_command_remark(&plan, c, remark, sizeof(remark)))
		ret = remark;
	request_clear(&r);
	return ret;
}

static const struct step_command torchrun = {.kind = COMMAND_TORCHRUN,
					     .name = "torchrun"};
static const struct step_command two = {
	.kind = COMMAND_TORCHRUN, .name = "torchrun", .nnodes = 2};
static const struct step_command two_meet = {.kind = COMMAND_TORCHRUN,
					     .name = "torchrun",
					     .nnodes = 2,
					     .meets = true};
static const struct step_command alone = {
	.kind = COMMAND_TORCHRUN, .name = "torchrun", .standalone = true};
static const struct step_command ranked = {
	.kind = COMMAND_TORCHRUN, .name = "torchrun", .node_rank = true};
static const struct step_command open_nodes = {
	.kind = COMMAND_TORCHRUN, .name = "torchrun", .nnodes_open = true};
static const struct step_command script = {.kind = COMMAND_SCRIPT,
					   .name = "t.py"};
static const struct step_command other = {.kind = COMMAND_LAUNCHER,
					  .name = "accelerate"};
static const struct step_command unknown = {.kind = COMMAND_UNKNOWN,
					    .name = "bash"};
static const struct step_command modelarts = {.kind = COMMAND_UNKNOWN,
					      .name = "run_mpi.sh"};
static const struct step_command key = {.kind = COMMAND_PAIR,
					.name = "label=yes"};
static const struct step_command mpirun = {.kind = COMMAND_MPIRUN,
					   .name = "mpirun"};
static const struct step_command hvdrun = {.kind = COMMAND_MPIRUN,
					   .name = "horovodrun"};
static const struct host_file hosts = {"/etc/mpi/hostfile", "write x"};
static const struct step_command with_hosts = {
	.kind = COMMAND_MPIRUN, .name = "mpirun", .host_file = &hosts};
static const struct step_command script_with_hosts = {
	.kind = COMMAND_UNKNOWN, .name = "run.sh", .host_file = &hosts};
static const struct {
	const char *option;
	unsigned nnodes, world;
	const struct step_command *command;
	const char *pet, *says; /* NULL: nothing */
} cases[] = {
	{"torchrun", 2, 2, &torchrun, NULL, NULL},
	{"torchrun", 2, 2, &two, NULL, NULL},
	{"torchrun", 1, 1, &ranked, NULL, NULL},
	{"torchrun", 2, 2, &ranked, NULL,
	 "torchrun --node-rank is one number on all 2 nodes"},
	{"torchrun", 2, 2, &open_nodes, NULL, NULL},
	{"ddp", 2, 4, &open_nodes, NULL, "each would be a torchrun for 2"},
	{"ddp", 2, 2, &open_nodes, NULL, "has no --rdzv-endpoint, and each of"},
	{"ddp", 2, 2, &two_meet, NULL, NULL},
	{"torchrun", 3, 3, &two, NULL, "--nnodes=2, but this step has"},
	/* a world of two, with a node in reserve, or with fewer later */
	{"torchrun,spares=1", 2, 2, &two, NULL, NULL},
	{"torchrun,spares=1", 1, 1, &two, NULL,
	 "--nnodes=2, but the world has 1"},
	{"torchrun,on-node-loss=shrink:1", 2, 2, &two, NULL,
	 "leave out --nnodes, and torchrun gets those of each round"},
	{"torchrun,on-node-loss=shrink:1", 2, 2, &torchrun, NULL, NULL},
	/* one srun for each node, as some scripts have it */
	{"torchrun", 1, 1, &two, NULL, "2, but this step has 1 node,"},
	{"torchrun", 1, 1, &alone, NULL, NULL},
	{"torchrun", 2, 2, &alone, NULL, "leave out --standalone"},
	{"torchrun", 2, 2, &script, NULL, "t.py, which finds no RANK"},
	{"torchrun", 2, 2, &other, NULL, NULL},
	{"ray", 2, 2, &script, NULL, NULL},
	{"torchrun", 2, 2, &unknown, NULL, NULL},
	{"ddp", 1, 1, &torchrun, NULL, NULL},
	{"ddp", 2, 2, &torchrun, NULL, "use --dist-train=torchrun"},
	{"ddp", 2, 2, &torchrun, "PET_NNODES=2", "wait for the others"},
	{"ddp", 2, 2, &torchrun, "PET_NNODES=1:2", "wait for the others"},
	{"ddp", 2, 4, &torchrun, "PET_NNODES=2", "ddp has started 4 already"},
	{"ddp", 1, 1, &torchrun, "PET_NNODES=2", NULL},
	{"ddp", 2, 2, &torchrun, "PET_NNODES=two", NULL},
	{"ddp", 2, 2, &two, NULL, "use --dist-train=torchrun, which gives"},
	{"ddp", 2, 2, &two, "PET_NODE_RANK=1", NULL},
	{"ddp", 2, 2, &two, "PET_RDZV_ENDPOINT=a:1", NULL},
	{"ddp", 2, 2, &two, "PET_NNODES=2", "wait for the others"},
	{"ddp", 1, 1, &two, NULL, "2, but this step has 1 node,"},
	{"ddp", 2, 4, &two, NULL, "ddp has started 4 already"},
	{"ddp", 2, 2, &alone, "PET_NNODES=2", "for 1 node;"},
	{"ddp,dialect=ti-one", 2, 4, &torchrun, NULL, NULL},
	{"ddp", 2, 4, &script, NULL, NULL},
	{"ddp", 2, 4, &unknown, NULL, NULL},
	{"ddp", 2, 4, &other, NULL, "accelerate starts processes"},
	{"ddp", 1, 1, &other, NULL, NULL},
	{"deepspeed", 2, 4, &torchrun, NULL, "deepspeed has started 4"},
	{"deepspeed,run-on=first", 2, 4, &other, NULL, NULL},
	{"env", 2, 4, &torchrun, NULL, NULL},
	{"jax", 2, 4, &alone, NULL, NULL},
	/* ModelArts' own start script, with its dialect alone */
	{"mpi,dialect=modelarts", 2, 4, &modelarts, NULL,
	 "leave it out, and Slurm starts the ranks"},
	{"horovod,dialect=modelarts,run-on=first", 2, 1, &modelarts, NULL,
	 "then what stands after run_mpi.sh"},
	{"mpi", 2, 4, &modelarts, NULL, NULL},
	{"ddp", 2, 4, &mpirun, NULL, "use --dist-train=mpi,run-on=first, or"},
	{"mpi", 2, 2, &mpirun, NULL, "use --dist-train=mpi,run-on=first, or"},
	{"torchrun", 2, 2, &mpirun, NULL, "use --dist-train=mpi,run-on=first"},
	{"ddp", 2, 4, &hvdrun, NULL, "--dist-train=horovod,run-on=first"},
	{"horovod", 2, 4, &hvdrun, NULL, "--dist-train=horovod,run-on=first"},
	{"ddp,procs=4", 1, 1, &mpirun, NULL, "leave out mpirun"},
	{"ddp", 1, 1, &mpirun, NULL, NULL},
	{"mpi,run-on=first", 2, 2, &mpirun, NULL, NULL},
	{"mpi,dialect=volcano", 2, 2, &mpirun, NULL, NULL},
	{"env", 2, 4, &mpirun, NULL, NULL},
	{"ddp", 1, 1, &key, NULL, "write --dist-train=ddp,label=yes"},
	{"mpi,dialect=modelarts", 2, 4, &unknown, NULL, NULL},
	/* a file of the platform's own nodes */
	{"mpi,run-on=first", 2, 2, &with_hosts, NULL,
	 "mpirun names /etc/mpi/hostfile, which only the platform's own nodes "
	 "have: write x"},
	{"mpi,dialect=kubeflow", 2, 2, &script_with_hosts, NULL,
	 "run.sh names"},
	{"tf-ps,dialect=volcano", 2, 2, &script_with_hosts, NULL, "write x"},
	{"env", 2, 2, &script_with_hosts, NULL, NULL},
	{"mpi", 2, 2, &with_hosts, NULL, "leave out mpirun"},
};

static void commands(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *said =
			answer(cases[i].option, cases[i].nnodes, cases[i].world,
			       cases[i].command, cases[i].pet);
		char what[1200];

		snprintf(what, sizeof(what), "%zu, %s: '%s'", i,
			 cases[i].option, said);
		if (cases[i].says)
			assert_case(what, strstr(said, cases[i].says));
		else
			assert_case(what, !*said);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
