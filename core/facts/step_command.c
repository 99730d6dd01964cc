/* SPDX-License-Identifier: Apache-2.0 */
#include "core/facts/step_command.h"

#include "core/base/parse.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Programs by base name, and by the word behind it where it tells.
 * doc/batch-scripts.md has the list for users. */
static const struct {
	enum step_command_kind kind;
	const char *names, *subcommands;
} programs[] = {
	/* Open MPI 4 and before; 5, PRRTE; MPICH; MPICH 4, Intel MPI */
	{COMMAND_MPI_DAEMON,
	 "orted prted hydra_pmi_proxy pmi_proxy hydra_bstrap_proxy", NULL},
	{COMMAND_UTILITY,
	 "hostname ip getent uname nproc free df ls cat echo date true sleep "
	 "which findmnt printenv printf pwd id whoami",
	 NULL},
	{COMMAND_UTILITY,
	 "mkdir cp mv rm ln chmod touch rsync scp tar unzip wget curl git",
	 NULL},
	{COMMAND_UTILITY, "nvidia-smi npu-smi rocm-smi amd-smi ibstat dcgmi",
	 NULL},
	{COMMAND_UTILITY, "scontrol sbcast pkill killall", NULL},
	{COMMAND_UTILITY, "pip pip3", NULL},
	{COMMAND_UTILITY, "uv", "sync pip venv lock add"},
	{COMMAND_UTILITY, "conda mamba micromamba",
	 "install create update env list info"},
	{COMMAND_UTILITY, "docker podman enroot singularity apptainer",
	 "pull import create build load inspect"},
	{COMMAND_UTILITY, "huggingface-cli hf", "download"},
	{COMMAND_UTILITY,
	 "tensorboard uvicorn gunicorn redis-server jupyter jupyter-lab "
	 "jupyter-notebook",
	 NULL},
	{COMMAND_UTILITY, "mlflow", "server ui"},
	{COMMAND_SERVER, "vllm", "serve"},
	{COMMAND_SERVER, "trl", "vllm-serve"},
	/* ft_launcher is NVIDIA's torchrun with the same arguments */
	{COMMAND_TORCHRUN, "torchrun ft_launcher", NULL},
	{COMMAND_LAUNCHER, "deepspeed", NULL},
	{COMMAND_LAUNCHER, "accelerate", "launch"},
	{COMMAND_MPIRUN, "mpirun mpiexec orterun prterun horovodrun", NULL},
	/* Debian's names of both libraries', and Hydra's own */
	{COMMAND_MPIRUN,
	 "mpirun.openmpi mpiexec.openmpi mpirun.mpich mpiexec.mpich "
	 "mpiexec.hydra",
	 NULL},
};

static const struct {
	enum step_command_kind kind;
	const char *modules; /* of python -m */
} modules[] = {
	{COMMAND_TORCHRUN, "torch.distributed.run torch.distributed.launch"},
	{COMMAND_LAUNCHER, "accelerate.commands.launch"},
	{COMMAND_UTILITY, "pip venv ensurepip uvicorn gunicorn"},
	{COMMAND_SERVER,
	 "vllm.entrypoints.openai.api_server sglang.launch_server"},
};

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

/* `ray start` and its like, in a container's command line too. */
static bool is_ray_start(int argc, char *const argv[])
{
	for (int i = 0; i + 1 < argc; i++)
		if (!strcmp(base_name(argv[i]), "ray") &&
		    is_listed("start stop status", argv[i + 1]))
			return true;
	return false;
}

static enum step_command_kind kind_of(const char *name, const char *argument)
{
	for (size_t i = 0; i < LENGTH(programs); i++)
		if (is_listed(programs[i].names, name) &&
		    (!programs[i].subcommands ||
		     is_listed(programs[i].subcommands, argument)))
			return programs[i].kind;
	return COMMAND_UNKNOWN;
}

unsigned step_command_nodes(const char *text)
{
	const char *colon = strchr(text, ':');
	long n;

	if (parse_number(colon ? colon + 1 : text, 1, 1 << 20, &n) < 0)
		return 0;
	return (unsigned)n;
}

static bool is_option(const char *word, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(word, name, n) && (!word[n] || word[n] == '=');
}

/* torchrun's own options, up to its program. All but these take a value. */
static void read_torchrun(int argc, char *const argv[],
			  struct step_command *ret)
{
	static const char flags[] = "--standalone --no-python --no_python "
				    "--run-path --run_path --module "
				    "--use-env --use_env -m";

	bool module = false;
	int i;

	for (i = 0; i < argc && *argv[i] == '-'; i++) {
		const char *word = argv[i], *value = strchr(word, '=');

		if (!strcmp(word, "--standalone"))
			ret->standalone = true;
		module |= is_listed("-m --module", word);
		if (!value && !is_listed(flags, word) && i + 1 < argc)
			value = argv[++i];
		else if (value)
			value++;
		if (!value)
			continue;
		if (is_option(word, "--nnodes")) {
			ret->nnodes = step_command_nodes(value);
			ret->nnodes_open = *value == '$';
		} else if (is_option(word, "--node-rank") ||
			   is_option(word, "--node_rank")) {
			ret->node_rank = *value >= '0' && *value <= '9';
			ret->meets = true;
		} else if (is_option(word, "--rdzv-endpoint") ||
			   is_option(word, "--rdzv_endpoint")) {
			ret->meets = true;
		}
	}
	if (i < argc)
		*(module ? &ret->module : &ret->file) = argv[i];
	/* a script's variable instead of options or of the program */
	if (i < argc && *argv[i] == '$') {
		ret->nnodes_open |= !ret->nnodes;
		ret->meets = true;
	}
}

static bool is_python(const char *name)
{
	static const char python[] = "python";
	size_t len = sizeof(python) - 1;

	return !strncmp(name, python, len) &&
	       !name[len + strspn(name + len, "0123456789.")];
}

bool step_command_is_python(const char *program)
{
	const char *name = base_name(program);
	size_t n = strlen(name);

	return is_python(name) || (n > 3 && !strcmp(name + n - 3, ".py"));
}

/* Of a launcher with options of any kind: its first word that is a file of
 * Python's, or stands behind -m. */
static void read_launcher(int argc, char *const argv[],
			  struct step_command *ret)
{
	for (int i = 1; i < argc && !ret->file && !ret->module; i++)
		if (is_listed("-m --module", argv[i - 1]))
			ret->module = argv[i];
		else if (*argv[i] != '-' && strstr(argv[i], ".py") &&
			 step_command_is_python(argv[i]))
			ret->file = argv[i];
}

static void read_arguments(int argc, char *const argv[],
			   struct step_command *ret)
{
	if (ret->kind == COMMAND_TORCHRUN)
		read_torchrun(argc - 1, argv + 1, ret);
	else if (ret->kind == COMMAND_LAUNCHER || ret->kind == COMMAND_MPIRUN)
		read_launcher(argc, argv, ret);
}

static void read_program(int argc, char *const argv[], struct step_command *ret)
{
	ret->name = base_name(argv[0]);
	ret->kind = kind_of(ret->name, argc > 1 ? argv[1] : "");
	read_arguments(argc, argv, ret);
	if (ret->kind == COMMAND_UNKNOWN)
		ret->file = argv[0];
}

static void read_module(int argc, char *const argv[], struct step_command *ret)
{
	ret->name = argv[0];
	for (size_t i = 0; i < LENGTH(modules); i++)
		if (is_listed(modules[i].modules, argv[0]))
			ret->kind = modules[i].kind;
	read_arguments(argc, argv, ret);
	if (ret->kind == COMMAND_UNKNOWN)
		ret->module = argv[0];
}

/* Python's arguments, after its own name: -m MODULE, -c CODE, FILE. */
static void read_python(int argc, char *const argv[], struct step_command *ret)
{
	int i = 0;

	ret->file = NULL;
	for (; i < argc && *argv[i] == '-'; i++) {
		size_t n = strcspn(argv[i], "cmWX");
		char letter = argv[i][n];
		bool long_option = argv[i][1] == '-';

		if (!letter || long_option)
			continue;
		if (letter == 'm' && !argv[i][n + 1] && i + 1 < argc)
			read_module(argc - i - 1, argv + i + 1, ret);
		if (letter == 'c' || letter == 'm')
			return;
		i += !argv[i][n + 1];
	}
	if (i >= argc || !strcmp(argv[i], "-"))
		return;
	read_program(argc - i, argv + i, ret);
	if (ret->kind == COMMAND_TORCHRUN || ret->kind == COMMAND_LAUNCHER)
		return;
	ret->kind = COMMAND_SCRIPT;
	ret->file = argv[i];
}

/* label=yes */
static bool is_pair(const char *word)
{
	size_t len = strspn(word, "-ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "abcdefghijklmnopqrstuvwxyz");

	return len && word[len] == '=';
}

void step_command_read(int argc, char *const argv[], struct step_command *ret)
{
	*ret = (struct step_command){0};
	if (argc < 1 || !argv || !argv[0])
		return;
	if (is_pair(argv[0])) {
		ret->kind = COMMAND_PAIR;
		ret->name = argv[0];
		return;
	}
	read_program(argc, argv, ret);
	if (is_python(ret->name))
		read_python(argc - 1, argv + 1, ret);
	if (is_ray_start(argc, argv))
		ret->kind = COMMAND_UTILITY;
}
