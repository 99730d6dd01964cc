/* SPDX-License-Identifier: Apache-2.0 */
/* What a command is, by its words. */
#include "core/facts/step_command.h"

#include "tests/fixtures/unit.h"

static struct step_command command_of(const char *line)
{
	static char copy[512];
	char *word[32] = {NULL}, *save = NULL;
	struct step_command c;
	int n = 0;

	snprintf(copy, sizeof(copy), "%s", line);
	for (char *w = strtok_r(copy, " ", &save); w;
	     w = strtok_r(NULL, " ", &save))
		word[n++] = w;
	step_command_read(n, word, &c);
	return c;
}

static const struct {
	const char *line;
	enum step_command_kind kind;
	const char *name;
} lines[] = {
	/* Open MPI 4.1's, MPICH 4.0's own lines */
	{"orted -mca ess slurm", COMMAND_MPI_DAEMON, "orted"},
	{"/usr/bin/hydra_pmi_proxy --control-port n1:3", COMMAND_MPI_DAEMON,
	 "hydra_pmi_proxy"},
	{"prted --prtemca ess slurm", COMMAND_MPI_DAEMON, "prted"},
	{"hostname --ip-address", COMMAND_UTILITY, "hostname"},
	{"/bin/mkdir -p /tmp/x", COMMAND_UTILITY, "mkdir"},
	{"ray start --head --block", COMMAND_UTILITY, "ray"},
	{"/v/bin/ray stop", COMMAND_UTILITY, "ray"},
	{"apptainer run --nv verl.sif ray start --head", COMMAND_UTILITY,
	 "apptainer"},
	{"ray job submit x.py", COMMAND_UNKNOWN, "ray"},
	{"apptainer run --nv verl.sif python3 -m verl.trainer.main_ppo",
	 COMMAND_UNKNOWN, "apptainer"},
	{"tensorboard --logdir x", COMMAND_UTILITY, "tensorboard"},
	{"mlflow server --port 5000", COMMAND_UTILITY, "mlflow"},
	{"mlflow run .", COMMAND_UNKNOWN, "mlflow"},
	{"python -m uvicorn app:app", COMMAND_UTILITY, "uvicorn"},
	{"vllm serve model", COMMAND_SERVER, "vllm"},
	{"vllm bench", COMMAND_UNKNOWN, "vllm"},
	{"trl vllm-serve --model m", COMMAND_SERVER, "trl"},
	{"python3 -m sglang.launch_server --port 1", COMMAND_SERVER,
	 "sglang.launch_server"},
	/* may do anything */
	{"bash -c hostname", COMMAND_UNKNOWN, "bash"},
	{"env hostname", COMMAND_UNKNOWN, "env"},
	{"hostname.py", COMMAND_UNKNOWN, "hostname.py"},
	{"./train hostname", COMMAND_UNKNOWN, "train"},
	{"python train.py", COMMAND_SCRIPT, "train.py"},
	{"/usr/bin/python3.11 -u -W ignore -X dev dir/t.py -m x",
	 COMMAND_SCRIPT, "t.py"},
	{"python hostname", COMMAND_SCRIPT, "hostname"},
	{"python -Wignore t.py", COMMAND_SCRIPT, "t.py"},
	{"python -m train", COMMAND_UNKNOWN, "train"},
	{"python -mtrain", COMMAND_UNKNOWN, "python"},
	{"python -c pass", COMMAND_UNKNOWN, "python"},
	{"python -", COMMAND_UNKNOWN, "python"},
	{"python", COMMAND_UNKNOWN, "python"},
	{"pythonic t.py", COMMAND_UNKNOWN, "pythonic"},
	{"torchrun t.py", COMMAND_TORCHRUN, "torchrun"},
	{"python /usr/bin/torchrun t.py", COMMAND_TORCHRUN, "torchrun"},
	{"ft_launcher t.py", COMMAND_TORCHRUN, "ft_launcher"},
	{"python -m torch.distributed.run t.py", COMMAND_TORCHRUN,
	 "torch.distributed.run"},
	{"python -um torch.distributed.launch t.py", COMMAND_TORCHRUN,
	 "torch.distributed.launch"},
	{"accelerate launch t.py", COMMAND_LAUNCHER, "accelerate"},
	{"accelerate test", COMMAND_UNKNOWN, "accelerate"},
	{"deepspeed t.py", COMMAND_LAUNCHER, "deepspeed"},
	{"mpirun -np 4 ./a", COMMAND_MPIRUN, "mpirun"},
	{"/usr/bin/mpiexec.hydra -n 2 a", COMMAND_MPIRUN, "mpiexec.hydra"},
	{"horovodrun -np 4 python t.py", COMMAND_MPIRUN, "horovodrun"},
	{"./mpirun.sh", COMMAND_UNKNOWN, "mpirun.sh"},
	/* a blank instead of a comma */
	{"label=yes python t.py", COMMAND_PAIR, "label=yes"},
	{"Restarts=3 true", COMMAND_PAIR, "Restarts=3"},
	{"./label=yes", COMMAND_UNKNOWN, "label=yes"},
	{"label", COMMAND_UNKNOWN, "label"},
};

static void kinds(void **state)
{
	struct step_command c;

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++) {
		c = command_of(lines[i].line);
		assert_case(lines[i].line, c.kind == lines[i].kind);
		assert_case(lines[i].line, !strcmp(c.name, lines[i].name));
	}
	c = command_of("");
	assert_true(c.kind == COMMAND_UNKNOWN && !c.name);
}

static void torchrun(void **state)
{
	static const struct {
		const char *line;
		bool standalone;
		unsigned nnodes;
	} cases[] = {
		{"torchrun t.py", false, 0},
		{"torchrun --standalone --nproc-per-node 2 t.py", true, 0},
		{"torchrun --nnodes 4 --rdzv_id 1 t.py --nnodes 9", false, 4},
		{"torchrun --nnodes=1:4 t.py", false, 4},
		{"torchrun --nnodes 2 --standalone", true, 2},
		{"torchrun --nnodes=x t.py", false, 0},
		{"torchrun --nnodes", false, 0},
		{"torchrun --nnodes=0 t.py", false, 0},
		/* what follows the program is the program's */
		{"torchrun --nproc_per_node 2 t.py --standalone", false, 0},
		{"torchrun --no-python t.sh --standalone", false, 0},
		{"torchrun --rdzv_id --standalone t.py", false, 0},
		{"torchrun -m pkg.t --standalone", false, 0},
		{"python -m torch.distributed.run --nnodes=2 t.py", false, 2},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct step_command c = command_of(cases[i].line);

		assert_case(cases[i].line, c.kind == COMMAND_TORCHRUN);
		assert_case(cases[i].line, c.nnodes == cases[i].nnodes);
		assert_case(cases[i].line, c.standalone == cases[i].standalone);
	}
}

/* The program's own file, or its module; "-" is none. */
static void files(void **state)
{
	static const struct {
		const char *line, *file, *module;
	} cases[] = {
		{"python3 -u train.py --x y.py", "train.py", "-"},
		{"python -W ignore -m pkg.train a.py", "-", "pkg.train"},
		{"python -c pass t.py", "-", "-"},
		{"python", "-", "-"},
		{"./train.py a", "./train.py", "-"},
		{"./a.out in.py", "./a.out", "-"},
		{"torchrun --nproc-per-node 2 t.py u.py", "t.py", "-"},
		{"torchrun --nnodes=2 -m pkg.t u.py", "-", "pkg.t"},
		{"python -m torch.distributed.run --nnodes 2 t.py", "t.py",
		 "-"},
		{"deepspeed --hostfile h.txt t.py u.py", "t.py", "-"},
		{"accelerate launch --config c.yaml d/t.py", "d/t.py", "-"},
		{"accelerate launch -m pkg.t x.py", "-", "pkg.t"},
		{"python -m accelerate.commands.launch t.py", "t.py", "-"},
		{"mpirun -np 4 python t.py", "t.py", "-"},
		{"mpirun -np 4 ./a", "-", "-"},
		{"hostname", "-", "-"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct step_command c = command_of(cases[i].line);
		const char *file = c.file ? c.file : "-";
		const char *module = c.module ? c.module : "-";

		assert_case(cases[i].line, !strcmp(file, cases[i].file));
		assert_case(cases[i].line, !strcmp(module, cases[i].module));
	}
}

static void python(void **state)
{
	static const struct {
		const char *program;
		bool is;
	} cases[] = {
		{"python", true},
		{"/usr/bin/python3", true},
		{"./python3.11", true},
		{"train.py", true},
		{"/home/a/x.py", true},
		{"python3-config", false},
		{"/python3/bash", false},
		{"ipython3", false},
		{".py", false},
		{"py", false},
		{"", false},
		{"a.out", false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_case(cases[i].program,
			    step_command_is_python(cases[i].program) ==
				    cases[i].is);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),
		cmocka_unit_test(torchrun),
		cmocka_unit_test(files),
		cmocka_unit_test(python),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
