/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands of dist-train and what their help says. A new command is a row
 * here; its options stand in a table beside its code.
 */
#include "helpers/cli/commands.h"
#include "helpers/cli/exec/exec_cmd.h"

#include <string.h>

/* clang-format off */
const struct command commands[] = {
	{
		.name = "exec",
		.summary = "start training on a cluster without the plugin",
		.usage = "FRAMEWORK[,KEY=VALUE]... [--] PROGRAM [ARG]...",
		.about = "Does under a plain srun what srun --dist-train does "
			 "where the plugin is installed: it becomes PROGRAM "
			 "with the framework's variables, or starts one "
			 "process per device. It needs no root.",
		.example = "srun -N4 --gpus-per-node=8 dist-train exec ddp -- "
			   "python3 main.py",
		.page = "dist-train-exec",
		.run = exec_cmd,
	},
	{
		.name = "explain",
		.summary = "what each process would get, without a step",
		.usage = "[OPTION]... srun ... --dist-train=... PROGRAM\n"
			 "[OPTION]... sbatch FILE\n"
			 "FRAMEWORK[,KEY=VALUE]... [OPTION]... [-- PROGRAM]",
		.about = "Shows the variables that srun --dist-train=FRAMEWORK "
			 "gives to a process, and where each comes from: of an "
			 "srun line, of each step of an sbatch script, or of a "
			 "layout from the options. No Slurm is needed.",
		.options = explain_options,
		.example = "dist-train explain srun -N4 --gpus-per-node=8 "
			   "--dist-train=ddp python3 a.py\n"
			   "dist-train explain ddp -N2 --gpus-per-node=8 "
			   "--diff 0,9\n"
			   "dist-train explain ddp --nodes 4 --devices 8 "
			   "--picture layout.html",
		.page = "dist-train-explain",
		.run = explain_cmd,
	},
	{
		.name = "doctor",
		.summary = "whether a job would work on these nodes",
		.usage = "[OPTION]...",
		.about = "Run it in salloc or sbatch. It looks at names, "
			 "addresses, routes, ports, clocks, GPUs, NPUs and "
			 "InfiniBand of every node: one line per finding. Exit "
			 "status 1: a job would fail.",
		.options = doctor_options,
		.example = "salloc -N4 --gpus-per-node=8 dist-train doctor\n"
			   "salloc -N4 --gpus-per-node=8 dist-train doctor "
			   "--all-reduce",
		.page = "dist-train-doctor",
		.run = doctor_cmd,
	},
	{
		.name = "status",
		.summary = "what each rank of a running step does",
		.usage = "[JOB[.STEP]] [--all] [--json|--prometheus] [-o FILE]",
		.about = "Asks the launchers of a running step, whose job must "
			 "be yours: state, CPU, memory and devices of each "
			 "rank, how long it has been silent, and the progress "
			 "that it reports. Without JOB: the job whose "
			 "environment it has, or your only running one; so do "
			 "stack and top.",
		.options = status_options,
		.example = "dist-train status\n"
			   "dist-train status 4711.0 --prometheus -o "
			   "/var/lib/node_exporter/step.prom",
		.page = "dist-train-status",
		.run = status_cmd,
	},
	{
		.name = "stack",
		.summary = "where every rank of a running step is, grouped",
		.usage = "[JOB[.STEP]] [--all|--json] [--native]\n"
			 "[JOB[.STEP]] --dump [--json]",
		.about = "Takes the stacks of all ranks: by py-spy of the "
			 "job's own Python, by eu-stack, else what /proc "
			 "tells. One line per group of ranks that are at the "
			 "same place; the suspect is marked. For the job's "
			 "user and root. Without JOB as dist-train status.",
		.options = stack_options,
		.example = "dist-train stack\n"
			   "dist-train stack 4711.0 --all",
		.page = "dist-train-stack",
		.run = stack_cmd,
	},
	{
		.name = "top",
		.summary = "the same on a terminal, updated in place",
		.usage = "[JOB[.STEP]] [-d SECONDS]",
		.about = "Shows the ranks of a running step again and again, "
			 "sorted; h shows the keys, q quits. Without JOB as "
			 "dist-train status.",
		.options = top_options,
		.example = "dist-train top",
		.page = "dist-train-top",
		.run = top_cmd,
	},
	{
		.name = "why",
		.summary = "one page: why a step ended, or hangs",
		.usage = "[JOB[.STEP]] [OPTION]...",
		.about = "Shows what the step's record (key record) says: the "
			 "first failure with its report, restarts, lost nodes, "
			 "the end; of a step that still runs also where its "
			 "ranks are, and which are suspects. Without JOB the "
			 "newest record.",
		.options = why_options,
		.example = "dist-train why\n"
			   "dist-train why 4711.0 -o 4711.html",
		.page = "dist-train-why",
		.run = why_cmd,
	},
	{
		.name = "goodput",
		.summary = "where the time of a job went, over all its runs",
		.usage = "JOB... [--json|-o FILE.html] [OPTION]...",
		.about = "Adds up what the records of the job's steps say (key "
			 "record): time in the queue, start-up, training, what "
			 "was lost since the last checkpoint, detection and "
			 "restart, by cause and node; and the effective "
			 "training time ratio. A requeue is a new run of the "
			 "same job.",
		.options = goodput_options,
		.example = "dist-train goodput 4711\n"
			   "dist-train goodput 4711 -o 4711.html",
		.page = "dist-train-goodput",
		.run = goodput_cmd,
	},
	{
		.name = "timeline",
		.summary = "a step's record in words, as a page or a trace",
		.usage = "FILE [--json|-o FILE.html|-o FILE.json]",
		.about = "Shows the record that the key timeline=FILE of "
			 "--dist-train writes: who was late, what failed "
			 "first.",
		.options = timeline_options,
		.example = "srun --dist-train=ddp,timeline=%j.jsonl python3 "
			   "main.py\n"
			   "dist-train timeline 4711.jsonl\n"
			   "dist-train timeline 4711.jsonl -o step.html",
		.page = "dist-train-timeline",
		.run = timeline_cmd,
	},
	{
		.name = "devices",
		.summary = "the NPUs of this node, and how that was found out",
		.usage = "[OPTION]...",
		.about = "Asks the driver, its tools and files for the Ascend "
			 "NPUs of this node and their network addresses.",
		.options = devices_options,
		.example = "srun -N4 dist-train devices --inventory > "
			   "inventory.txt",
		.page = "dist-train-devices",
		.run = devices_cmd,
	},
	{
		.name = "ranktable",
		.summary = "check, merge or show Ascend rank tables",
		.usage = "check [--chip CHIP] [--json] FILE...\n"
			 "merge [--chip CHIP] FILE... -o FILE\n"
			 "show [--chip CHIP] [--json] FILE",
		.about = "check: every rule of the collective library, one "
			 "line per fault with its place, its error code and "
			 "the remedy. merge: one table of several, ranks in "
			 "the order of the arguments. show: servers, devices "
			 "and ranks as a table.",
		.options = ranktable_options,
		.example = "dist-train ranktable check rank_table.json",
		.page = "dist-train-ranktable",
		.run = ranktable_cmd,
	},
	{
		.name = "frameworks",
		.summary = "what can stand behind --dist-train=",
		.usage = "[--json]",
		.about = "Lists the frameworks with the versions that were "
			 "tested. dist-train help FRAMEWORK shows the keys of "
			 "one, and its other names.",
		.options = json_options,
		.example = "dist-train frameworks\n"
			   "dist-train help tf-ps",
		.page = "dist-train-frameworks",
		.run = frameworks_cmd,
	},
	{
		.name = "keys",
		.summary = "all keys: everyday ones, a framework's own, expert",
		.usage = "[--json]",
		.about = "Lists the keys of --dist-train=FRAMEWORK,KEY=VALUE "
			 "with their values, the default first. dist-train "
			 "help KEY shows one.",
		.options = json_options,
		.example = "dist-train keys\n"
			   "dist-train help restarts",
		.page = "dist-train-keys",
		.run = keys_cmd,
	},
	{
		.name = "dialects",
		.summary = "platforms whose scripts run unchanged",
		.usage = "[--json]",
		.about = "Lists the values of the key dialect, and for which "
			 "frameworks each has names, files or arguments.",
		.options = json_options,
		.example = "dist-train explain ddp,dialect=kubeflow --nodes 2",
		.page = "dist-train-frameworks",
		.run = dialects_cmd,
	},
	{
		.name = "profiles",
		.summary = "the administrator's sets of variables",
		.usage = "[NAME] [OPTION]...",
		.about = "Lists the profiles of this node, which the key "
			 "profile=NAME takes; with NAME, the lines of that "
			 "one (NAME+NAME: of both).",
		.options = profiles_options,
		.example = "dist-train profiles\n"
			   "dist-train profiles infiniband",
		.page = "dist_train",
		.run = profiles_cmd,
	},
	{
		.name = "help",
		.summary = "one command, framework, key or dialect",
		.usage = "[COMMAND|FRAMEWORK|KEY|DIALECT|plugstack.conf]",
		.about = "Explains a word; plugstack.conf: the "
			 "administrator's arguments. dist-train COMMAND --help "
			 "is the "
			 "same as dist-train help COMMAND.",
		.example = "dist-train help grace\n"
			   "dist-train help horovod",
		.page = "dist-train",
		.run = help_cmd,
	},
	{
		.name = "version",
		.summary = "the version",
		.usage = "[--json]",
		.about = "Prints the version of slurm-dist-train. dist-train "
			 "--version, -V and -v do the same.",
		.options = json_options,
		.example = "dist-train version --json",
		.page = "dist-train",
		.run = version_cmd,
	},
	{.name = NULL},
};
/* clang-format on */

const struct command *command_find(const char *name)
{
	for (const struct command *c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}
