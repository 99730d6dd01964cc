/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/explain/arguments.h"

#include "core/ascend/chip.h"
#include "core/base/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct command_option explain_options[] = {
	[OPT_ASK + ASK_NODES] = {"nodes", "N|LIST",
				 "as srun's -N; or names such as node[1-4]"},
	[OPT_ASK + ASK_NODELIST] = {"nodelist", "LIST",
				    "as srun's -w: the nodes by name"},
	[OPT_ASK + ASK_NTASKS] = {"ntasks", "N", "as srun's -n"},
	[OPT_ASK + ASK_TASKS_PER_NODE] = {"ntasks-per-node", "N", "as srun's"},
	[OPT_ASK + ASK_GPUS] = {"gpus", "N", "as srun's -G: of the step"},
	[OPT_ASK + ASK_GPUS_PER_NODE] = {"gpus-per-node", "N", "as srun's"},
	[OPT_ASK + ASK_GPUS_PER_TASK] = {"gpus-per-task", "N",
					 "as srun's: each task sees its own"},
	[OPT_ASK + ASK_TASKS_PER_GPU] = {"ntasks-per-gpu", "N", "as srun's"},
	[OPT_ASK + ASK_GRES] = {"gres", "gpu:N|npu:N",
				"as srun's; npu: Ascend NPUs"},
	[OPT_ASK + ASK_DISTRIBUTION] = {"distribution", "HOW",
					"as srun's -m: block, cyclic or "
					"plane=N"},
	[OPT_TASKS] = {"tasks-per-node", "LIST",
		       "tasks, node by node: 2,1,1,1 or 2(x3),1"},
	[OPT_DEVICES] = {"devices", "LIST",
			 "devices of the step, of every node or node by node"},
	[OPT_CHIP] = {"chip", "CHIP",
		      "chip of the NPUs, whose rules hold: " CHIP_NAMES
		      "; by default only what holds for all"},
	[OPT_TOPOLOGY] = {"topology", "FILE",
			  "where the nodes are: what scontrol show topology "
			  "prints, or topology.conf; for order=topology"},
	[OPT_RANK] = {"rank", "R|all",
		      "the process to show; all: what all have in common, and "
		      "a table of the rest; rank 0 by default, all with "
		      "--json"},
	[OPT_DIFF] = {"diff", "R,R", "what differs between two processes"},
	[OPT_FORMAT] = {"format", "FORMAT",
			"text, json, sh (to source), env (NAME=value) or names "
			"(of all processes)"},
	[OPT_ALL] = {"all", NULL, "also the neutral names DIST_TRAIN_*"},
	[OPT_LINE] = {"line", "N", "of a script: the step of this line"},
	[OPT_JOB] = {"job", "ID", "number of the job; 1 by default"},
	[OPT_STEP] = {"step", "ID", "number of the step; 0 by default"},
	[OPT_CONF] = {"conf", "'ARG=VALUE ...'",
		      "the plugin's arguments, as in plugstack.conf"},
	[OPT_JSON] = {"json", NULL, "print JSON"},
	[OPT_PICTURE] = {"picture", "FILE",
			 "draw the layout: FILE.svg, FILE.html or -; as -o"},
	[OPT_HELP] = {"help", NULL, "print this help"},
	[OPT_COUNT] = {NULL, NULL, NULL},
};

/* Where the words of srun or sbatch begin; argc: nowhere. */
static int find_other(int argc, char *argv[])
{
	int i = 1;

	while (i < argc && strcmp(argv[i], "srun") != 0 &&
	       strcmp(argv[i], "sbatch") != 0) {
		if (!strcmp(argv[i], "--"))
			return argc;
		i++;
	}
	return i;
}

/* The long option of a short one, which explain shares with srun; NULL: none.
 */
static const char *long_name(const char *word)
{
	if (word[0] != '-' || !word[1] || word[1] == '-')
		return NULL;
	return word[1] == 'o' ? explain_options[OPT_PICTURE].name
			      : ask_of_letter(word[1]);
}

/* "-N4" or "-N" "4" as "--nodes=4", the words that it was made of. Returns how
 * many words it took, 0 when it is none; -1: out of memory. */
static int lengthen(char *argv[], int left, char **ret)
{
	const char *name = long_name(argv[0]), *value = argv[0] + 2;

	if (!name || (!*value && left < 2))
		return 0;
	if (asprintf(ret, "--%s=%s", name, *value ? value : argv[1]) < 0)
		return -1;
	return *value ? 1 : 2;
}

/* The words with long options alone, each a copy. NULL: out of memory. */
static char **copy_words(int argc, char *argv[], int *ret_argc)
{
	char **copy = calloc((size_t)argc + 1, sizeof(*copy));
	bool options = true;
	int n = 0;

	for (int i = 0; copy && i < argc;) {
		int used;

		options = options && strcmp(argv[i], "--") != 0;
		used = options ? lengthen(argv + i, argc - i, &copy[n]) : 0;
		if (used == 0)
			copy[n] = strdup(argv[i]);
		if (used < 0 || !copy[n])
			return NULL;
		i += used ? used : 1;
		n++;
	}
	*ret_argc = n;
	return copy;
}

void arguments_free(char ***words)
{
	for (char **word = *words; word && *word; word++)
		free(*word);
	free(*words);
}

static int read_own(int argc, char *argv[], struct arguments *ret,
		    struct err *err)
{
	char shown[SHOW_SIZE];
	int first =
		command_read(argc, argv, explain_options, "", ret->value, err);

	if (first < 0)
		return -1;
	for (int i = 0; i < ASK_COUNT; i++)
		ret->ask.value[i] = ret->value[OPT_ASK + i];
	if (ret->argc || ret->value[OPT_HELP])
		return first == argc || ret->value[OPT_HELP]
			       ? 0
			       : err_printf(err,
					    "explain: %s before %s: write "
					    "explain's options, then %s's line",
					    show(shown, argv[first]),
					    ret->argv[0], ret->argv[0]);
	if (first == argc)
		return err_printf(err, "explain: which framework? write "
				       "explain FRAMEWORK[,KEY=VALUE]..., or "
				       "explain srun ... --dist-train=...");
	ret->request = argv[first];
	if (first + 1 < argc && !strcmp(argv[first - 1], "--"))
		ret->command = argv + first + 1;
	else if (first + 1 < argc)
		return err_printf(err, "explain: unexpected argument %s",
				  show(shown, argv[first + 1]));
	return 0;
}

int arguments_read(int argc, char *argv[], struct arguments *ret,
		   char ***ret_words, struct err *err)
{
	int own = find_other(argc, argv);
	char **words;

	ret->argc = argc - own;
	ret->argv = argv + own;
	words = copy_words(own, argv, &own);
	*ret_words = words;
	return words ? read_own(own, words, ret, err) : err_memory(err);
}

int arguments_number(const struct arguments *a, int option, long initial,
		     long max, long *ret, struct err *err)
{
	char shown[SHOW_SIZE];

	*ret = initial;
	if (!a->value[option] ||
	    parse_number(a->value[option], 0, max, ret) == 0)
		return 0;
	return err_printf(err, "--%s=%s: must be a number up to %ld",
			  explain_options[option].name,
			  show(shown, a->value[option]), max);
}
