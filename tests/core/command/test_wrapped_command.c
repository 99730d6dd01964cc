/* SPDX-License-Identifier: Apache-2.0 */
/* What a command is behind wrappers, in a shell's code, in a script. The lines
 * are those of public batch scripts. */
#include "core/command/wrapped_command.h"

#include "tests/fixtures/unit.h"

#define SCRIPT_SH "#!/bin/bash\n"

/* The text of the only script there is */
static const char *script;
static char room[COMMAND_ROOM];

static char *read_it(const char *path, size_t max, struct err *err)
{
	(void)err;
	if (!script || !strstr(path, "node.sh") || strlen(script) > max)
		return NULL;
	return strdup(script);
}

static struct step_command command_of(const char *line)
{
	static char words[2048];
	char *word[32], *at = words;
	struct step_command c;
	size_t n;

	assert_true(2 * strlen(line) + 2 < sizeof(words));
	shell_words(line, &at, word, 31, &n);
	wrapped_command_read((int)n, word, read_it, room, &c);
	return c;
}

struct look {
	const char *text;
	enum step_command_kind kind;
	const char *name;
};

static void check(const struct look *l, size_t n, const char *line)
{
	for (size_t i = 0; i < n; i++) {
		struct step_command c;

		script = line ? l[i].text : NULL;
		c = command_of(line ? line : l[i].text);
		if (c.kind != l[i].kind ||
		    (l[i].name && strcmp(c.name, l[i].name) != 0))
			fail_msg("%s: %d %s", l[i].text, c.kind, c.name);
	}
}

#define CHECK(looks, line) check(looks, sizeof(looks) / sizeof(*(looks)), line)

/* Behind wrappers and shells it is a word of the command, or not known. */
static void own_files(void **state)
{
	static const char *const cases[][2] = {
		{"env A=b timeout 5 python t.py", "t.py"},
		{"uv run train.py", "train.py"},
		{"bash run.sh t.py", "run.sh"},
		{"bash -c 'python t.py'", "-"},
		{"numactl -m 0 ./a", "./a"},
	};

	(void)state;
	script = NULL;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct step_command c = command_of(cases[i][0]);

		assert_case(cases[i][0],
			    !strcmp(c.file ? c.file : "-", cases[i][1]));
	}
}

static void wrappers(void **state)
{
	static const struct look looks[] = {
		{"env A=b PYTHONPATH=. torchrun --nnodes=2 t.py",
		 COMMAND_TORCHRUN, "torchrun"},
		{"env -u A -i --chdir=/x B= torchrun t.py", COMMAND_TORCHRUN,
		 "torchrun"},
		{"timeout -k 5 60 torchrun t.py", COMMAND_TORCHRUN, "torchrun"},
		{"timeout --signal=TERM 1h python -m torch.distributed.run x",
		 COMMAND_TORCHRUN, "torch.distributed.run"},
		{"taskset -c 0,1 torchrun t.py", COMMAND_TORCHRUN, "torchrun"},
		{"taskset 0xff mpirun -np 4 x", COMMAND_MPIRUN, "mpirun"},
		{"numactl --cpunodebind=0 -m 0 python t.py", COMMAND_SCRIPT,
		 "t.py"},
		{"nice -n 5 nohup stdbuf -oL deepspeed t.py", COMMAND_LAUNCHER,
		 "deepspeed"},
		{"uv run --with x torchrun t.py", COMMAND_TORCHRUN, "torchrun"},
		{"uv run accelerate launch t.py", COMMAND_LAUNCHER,
		 "accelerate"},
		{"conda run --no-capture-output -n env torchrun t.py",
		 COMMAND_TORCHRUN, "torchrun"},
		{"poetry run horovodrun -np 2 python t.py", COMMAND_MPIRUN,
		 "horovodrun"},
		{"singularity exec --nv -B /a:/b img.sif torchrun t.py",
		 COMMAND_TORCHRUN, "torchrun"},
		{"apptainer --quiet run img bash -c 'torchrun t.py'",
		 COMMAND_TORCHRUN, "torchrun"},
		{"nsys profile -t cuda,nvtx -o out -f true torchrun t.py",
		 COMMAND_TORCHRUN, "torchrun"},
		{"env hostname", COMMAND_UTILITY, "hostname"},
		{"uv sync", COMMAND_UTILITY, "uv"},
		{"python -m pip install x", COMMAND_UTILITY, "pip"},
		{"docker pull x", COMMAND_UTILITY, "docker"},
		{"git pull", COMMAND_UTILITY, "git"},
		/* words of a program of its own */
		{"timeout 60 ./train torchrun", COMMAND_UNKNOWN, "train"},
		{"env A=b ./train mpirun", COMMAND_UNKNOWN, "train"},
		{"docker run x torchrun t.py", COMMAND_UNKNOWN, "docker"},
		{"uv pip-train torchrun", COMMAND_UNKNOWN, "uv"},
		/* nothing behind them */
		{"env", COMMAND_UNKNOWN, "env"},
		{"env A=b", COMMAND_UNKNOWN, "env"},
		{"timeout 60", COMMAND_UNKNOWN, "timeout"},
		{"singularity exec img", COMMAND_UNKNOWN, "singularity"},
		{"timeout -k", COMMAND_UNKNOWN, "timeout"},
	};

	(void)state;
	CHECK(looks, NULL);
}

static void shells(void **state)
{
	static const struct look looks[] = {
		{"/bin/sh -ex /x/run.sh hostname", COMMAND_UNKNOWN, "run.sh"},
		{"bash -o pipefail run.sh", COMMAND_UNKNOWN, "run.sh"},
		{"bash --norc +x run.sh", COMMAND_UNKNOWN, "run.sh"},
		{"bash -o", COMMAND_UNKNOWN, "bash"},
		{"bash -xc run.sh", COMMAND_UNKNOWN, "bash"},
		{"sh", COMMAND_UNKNOWN, "sh"},
	};

	(void)state;
	CHECK(looks, NULL);
}

static void code(void **state)
{
	static const struct look looks[] = {
		{"bash -c 'torchrun t.py'", COMMAND_TORCHRUN, "torchrun"},
		{"bash -lc \"source venv/bin/activate && cd x; exec torchrun "
		 "--nnodes=$N t.py\"",
		 COMMAND_TORCHRUN, "torchrun"},
		{"bash -eo pipefail -c 'torchrun t.py 2>&1 | tee log'",
		 COMMAND_TORCHRUN, "torchrun"},
		{"sh -c 'A=1 B=2 timeout 5 mpirun x'", COMMAND_MPIRUN,
		 "mpirun"},
		{"bash -c 'python prepare.py; torchrun t.py'", COMMAND_TORCHRUN,
		 "torchrun"},
		{"bash -c 'python train.py --x 1'", COMMAND_SCRIPT, "train.py"},
		{"bash -c 'exec \"$@\"' sh torchrun t.py", COMMAND_TORCHRUN,
		 "torchrun"},
		{"bash -c 'mkdir -p $D && cp a b > /dev/null'", COMMAND_UTILITY,
		 "bash"},
		{"bash -c '[ -d x ] || mkdir x; cp a x'", COMMAND_UTILITY,
		 "bash"},
		{"bash -c 'hostname -I'", COMMAND_UTILITY, "bash"},
		/* perhaps nothing is prepared */
		{"bash -c '[ -d x ] || mkdir x'", COMMAND_UNKNOWN, "bash"},
		{"bash -c 'mkdir x; sleep 9'", COMMAND_UNKNOWN, "bash"},
		/* what the option gives is wanted */
		{"sh -c 'echo $HOST'", COMMAND_UNKNOWN, "sh"},
		{"sh -c 'mkdir x; echo rank $RANK'", COMMAND_UNKNOWN, "sh"},
		/* perhaps in one rank alone */
		{"bash -c '[ $SLURM_PROCID != 0 ] || torchrun t.py'",
		 COMMAND_UNKNOWN, "bash"},
		{"bash -c 'test $R = 0 && torchrun t.py'", COMMAND_UNKNOWN,
		 "bash"},
		{"bash -c 'if [ $R = 0 ]; then torchrun t.py; fi'",
		 COMMAND_UNKNOWN, "bash"},
		{"bash -c 'case $R in 0) torchrun t.py;; esac'",
		 COMMAND_UNKNOWN, "bash"},
		{"bash -c 'for i in 1 2; do mpirun x; done'", COMMAND_UNKNOWN,
		 "bash"},
		{"bash -c 'f() { torchrun t.py; }; ./x'", COMMAND_UNKNOWN,
		 "bash"},
		{"bash -c 'exit; torchrun t.py'", COMMAND_UNKNOWN, "bash"},
		{"bash -c 'python a.py; if x; then torchrun t.py; fi'",
		 COMMAND_UNKNOWN, "bash"},
		{"bash -c 'mkdir x; ./train'", COMMAND_UNKNOWN, "bash"},
		{"bash -c 'cat <<E > f\ntorchrun t.py\nE\n'", COMMAND_UNKNOWN,
		 "bash"},
		{"bash -c", COMMAND_UNKNOWN, "bash"},
		{"bash -c ''", COMMAND_UNKNOWN, "bash"},
		{"bash", COMMAND_UNKNOWN, "bash"},
	};

	(void)state;
	CHECK(looks, NULL);
}

static void files(void **state)
{
	static const struct look looks[] = {
		{SCRIPT_SH
		 "set -e\nmodule load x\n# torchrun a.py\n"
		 "export A=$(hostname)\nif [ -n \"$D\" ]; then\n"
		 "  set -x\nfi\ntorchrun --nproc_per_node=$(nvidia-smi "
		 "-L | wc -l) \\\n  --nnodes $N t.py\n",
		 COMMAND_TORCHRUN, "torchrun"},
		{"#!/usr/bin/env bash\npython train.py \"$@\" > log.$X 2>&1\n",
		 COMMAND_SCRIPT, "train.py"},
		{SCRIPT_SH "cat > hosts <<EOF\ntorchrun a.py\nEOF\nmpirun x\n",
		 COMMAND_MPIRUN, "mpirun"},
		{SCRIPT_SH "mkdir -p /tmp/x\ncp -r data /tmp/x\n",
		 COMMAND_UTILITY, NULL},
		{SCRIPT_SH "./a.out\n", COMMAND_UNKNOWN, NULL},
		{SCRIPT_SH "./node.sh\n", COMMAND_UNKNOWN, NULL},
		{SCRIPT_SH, COMMAND_UNKNOWN, NULL},
		{SCRIPT_SH "cat <<EOF\ntorchrun t.py\n", COMMAND_UNKNOWN, NULL},
	};
	static const struct look odd[] = {
		{"#!/usr/bin/python3\ntorchrun t.py\n", COMMAND_UNKNOWN,
		 "node.sh"},
		{"\177ELF torchrun\n", COMMAND_UNKNOWN, "node.sh"},
		{"", COMMAND_UNKNOWN, "node.sh"},
	};

	(void)state;
	CHECK(looks, "bash -e dir/node.sh a b");
	CHECK(looks, "timeout 5 ./node.sh");
	CHECK(odd, "./node.sh");
	script = SCRIPT_SH "numactl -m 0 \"$@\"\n";
	assert_int_equal(command_of("./node.sh torchrun t.py").kind,
			 COMMAND_TORCHRUN);
	script = SCRIPT_SH "torchrun t.py\n";
	assert_int_equal(command_of("node.sh").kind, COMMAND_UNKNOWN);
	script = NULL;
	assert_string_equal(command_of("bash run_mpi.sh x").name, "run_mpi.sh");
}

static void options(void **state)
{
	struct step_command c;

	(void)state;
	c = command_of("bash -c 'torchrun --nnodes $N --node_rank "
		       "$SLURM_NODEID t.py'");
	assert_true(c.nnodes_open && !c.nnodes && !c.node_rank && c.meets);
	c = command_of("bash -c 'torchrun --nnodes=4 --node-rank=0 t.py'");
	assert_true(!c.nnodes_open && c.nnodes == 4 && c.node_rank);
	c = command_of("bash -c 'torchrun --x $(a) --nnodes=4 t.py'");
	assert_true(c.nnodes_open && c.meets);
	c = command_of("bash -c 'torchrun --nnodes=$N t.py'");
	assert_true(c.nnodes_open && !c.meets);
	c = command_of("bash -c 'torchrun ${ARGS[@]} t.py'");
	assert_true(c.nnodes_open && c.meets);
	c = command_of("bash -c 'torchrun --nnodes=4 --rdzv_endpoint $A t.py'");
	assert_true(c.nnodes == 4 && c.meets);
}

/* As public scripts of MPIJobs and of Volcano's read them */
static void host_files(void **state)
{
	static const struct {
		const char *text, *path;
	} cases[] = {
		{"mpirun --hostfile /etc/mpi/hostfile -np 2 x", "/etc/mpi/"},
		{"deepspeed --hostfile=/etc/mpi/hostfile t.py", "/etc/mpi/"},
		{"bash -c 'H=$(cut -d\\  -f1 /etc/mpi/hostfile); mpirun x'",
		 "/etc/mpi/"},
		{"timeout 5 sh -c 'mpiexec --host $(cat "
		 "/etc/volcano/mpiworker.host | tr \n ,) x'",
		 "/etc/volcano/"},
		{"bash node.sh", "/etc/volcano/"},
		{"mpirun --hostfile $DIST_TRAIN_HOSTFILE x", NULL},
	};

	(void)state;
	script = SCRIPT_SH "if true; then\n"
			   "  W=`cat /etc/volcano/worker.host`\nfi\n";
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct step_command c = command_of(cases[i].text);

		assert_case(cases[i].text,
			    cases[i].path
				    ? c.host_file && strstr(c.host_file->path,
							    cases[i].path)
				    : !c.host_file);
	}
	assert_string_equal(command_of("bash node.sh").name, "node.sh");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_files),  cmocka_unit_test(wrappers),
		cmocka_unit_test(shells),     cmocka_unit_test(code),
		cmocka_unit_test(files),      cmocka_unit_test(options),
		cmocka_unit_test(host_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
