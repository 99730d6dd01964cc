/* SPDX-License-Identifier: Apache-2.0 */
#include "core/command/wrapped_command.h"

#include "core/base/parse.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* By their manual pages. */
static const struct wrapper {
	const char *names, *subcommands; /* one of these behind it, or NULL */
	int operands;	    /* words between its options and the program */
	const char *valued; /* options whose value is a word of its own */
} wrappers[] = {
	{"env", NULL, 0, "-u --unset -C --chdir"},
	{"timeout", NULL, 1, "-k --kill-after -s --signal"},
	{"nice ionice", NULL, 0, "-n --adjustment -c --class --classdata"},
	{"taskset", NULL, 1, ""},
	{"numactl", NULL, 0,
	 "-i --interleave -p --preferred -m --membind -N --cpunodebind -C "
	 "--physcpubind"},
	{"stdbuf", NULL, 0, "-i --input -o --output -e --error"},
	{"nohup setsid time exec command unbuffer catchsegv", NULL, 0, ""},
	{"uv", "run", 0,
	 "--with --with-editable --with-requirements --extra --group --python "
	 "-p --project --directory --env-file --index --package"},
	{"poetry pipenv pdm hatch rye pixi", "run", 0,
	 "-C --directory -P --project -p -e --environment"},
	{"conda mamba micromamba", "run", 0, "-n --name -p --prefix --cwd"},
	{"singularity apptainer", "exec run", 1,
	 "-B --bind --mount --env --env-file -H --home --pwd --cwd -W "
	 "--workdir -o --overlay -S --scratch --network --hostname --app "
	 "--fusemount --security"},
	{"nsys", "profile launch", 0,
	 "-t --trace -o --output -s --sample -w --show-output -f "
	 "--force-overwrite -c --capture-range --capture-range-end --stats "
	 "--export -x --stop-on-exit -y --delay -d --duration -e --env-var "
	 "--kill --cuda-memory-usage --cudabacktrace --python-sampling "
	 "--gpu-metrics-device --gpu-metrics-devices"},
};

static bool is_listed(const char *list, const char *word)
{
	return *word && word_find(list, word, strlen(word), NULL);
}

static const struct wrapper *wrapper_find(const char *program)
{
	const char *slash = strrchr(program, '/');
	const char *name = slash ? slash + 1 : program;

	for (size_t i = 0; i < sizeof(wrappers) / sizeof(*wrappers); i++)
		if (is_listed(wrappers[i].names, name))
			return &wrappers[i];
	return NULL;
}

/* Behind its options, from the i-th word on. */
static int skip_options(const struct wrapper *w, int i, int argc,
			char *const argv[])
{
	while (i < argc && *argv[i] == '-') {
		const char *word = argv[i++];

		if (!strcmp(word, "--"))
			break;
		i += !strchr(word, '=') && is_listed(w->valued, word);
	}
	return i;
}

int wrapper_length(int argc, char *const argv[])
{
	const struct wrapper *w = wrapper_find(argv[0]);
	int i;

	if (!w)
		return 0;
	i = skip_options(w, 1, argc, argv);
	if (w->subcommands) {
		if (i >= argc || !is_listed(w->subcommands, argv[i]))
			return 0;
		i = skip_options(w, i + 1, argc, argv);
	}
	i += w->operands;
	while (!strcmp(w->names, "env") && i < argc && strchr(argv[i], '='))
		i++;
	return i < argc ? i : 0;
}
