/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/batch/srun_line.h"

#include "core/base/idlist.h"
#include "core/base/parse.h"

#include <getopt.h>
#include <string.h>

#define OPTIONS_MAX 256

const char *const ask_names[ASK_COUNT] = {
	[ASK_NODES] = "nodes",
	[ASK_NODELIST] = "nodelist",
	[ASK_NTASKS] = "ntasks",
	[ASK_TASKS_PER_NODE] = "ntasks-per-node",
	[ASK_GPUS] = "gpus",
	[ASK_GPUS_PER_NODE] = "gpus-per-node",
	[ASK_GPUS_PER_TASK] = "gpus-per-task",
	[ASK_TASKS_PER_GPU] = "ntasks-per-gpu",
	[ASK_GRES] = "gres",
	[ASK_DISTRIBUTION] = "distribution",
};

/* srun's options (22.05 to 26.05, `srun --help` and its manual page) and those
 * that pyxis adds, as NAME or NAME/LETTER: with an argument, */
static const char with_argument[] =
	"accel-bind account/A acctg-freq bb bbf bcast-exclude begin/b chdir/D "
	"cluster cluster-constraint clusters/M comment constraint/C container "
	"container-id context core-spec/S cores-per-socket cpu-bind cpu-freq "
	"cpu_bind cpus-per-gpu cpus-per-task/c deadline delay-boot "
	"dependency/d distribution/m epilog error/e exclude/x export extra "
	"extra-node-info/B gpu-bind gpu-freq gpus/G gpus-per-node "
	"gpus-per-socket gpus-per-task gres gres-flags het-group hint "
	"ignore-signals input/i job-name/J jobid licenses/L mail-type "
	"mail-user mcs-label mem mem-bind mem-per-cpu mem-per-gpu mem-update "
	"mincpus mpi msg-timeout network nodefile/F nodelist/w nodes/N "
	"ntasks/n ntasks-per-core ntasks-per-gpu ntasks-per-node "
	"ntasks-per-socket ntasks-per-tres open-mode output/o pack-group "
	"partition/p power prefer priority profile prolog qos/q relative/r "
	"reservation resources runtime segment signal slurmd-debug "
	"sockets-per-node switches task-epilog task-prolog tasks-per-node "
	"thread-spec threads/T threads-per-core time/t time-min tmp treewidth "
	"tres-bind tres-per-task wait/W wckey "
	"container-image container-mounts container-workdir container-name "
	"container-save container-env ";

/* with one that may follow '=', */
static const char may_argument[] =
	"bcast compress exclusive external-launcher immediate/I "
	"kill-on-bad-exit/K nice no-kill/k oom-kill-step overlap propagate pty "
	"resv-ports send-libs x11 ";

/* and without. */
static const char without_argument[] =
	"async consolidate-segments contiguous debugger-test disable-status/X "
	"exact help/h hold/H interactive label/l multi-prog no-allocate/Z "
	"overcommit/O oversubscribe/s parsable preserve-env/E quiet/Q "
	"quit-on-interrupt reboot spread-job spread-segments stepmgr "
	"test-only unbuffered/u usage use-min-nodes verbose/v version/V "
	"wait-for-children whole container-mount-home "
	"no-container-mount-home container-remap-root "
	"no-container-remap-root container-entrypoint "
	"no-container-entrypoint container-writable container-readonly ";

/* sbatch has these besides, or instead. */
static const char sbatch_with[] =
	"array/a batch export-file gid kill-on-invalid-dep uid wait-all-nodes "
	"wrap ";
static const char sbatch_may[] = "get-user-env requeue ";
static const char sbatch_without[] = "ignore-pbs no-requeue wait/W ";

/* What getopt_long() takes. */
struct options {
	struct option option[OPTIONS_MAX + 1];
	size_t n;
	char letters[2 * OPTIONS_MAX];
	char *names; /* owned */
};

static void options_clear(struct options *o)
{
	free(o->names);
}

static bool is_there(const struct options *o, const char *name)
{
	for (size_t i = 0; i < o->n; i++)
		if (!strcmp(o->option[i].name, name))
			return true;
	return false;
}

/* "NAME" or "NAME/LETTER"; the first one of a name or letter holds. */
static void add_option(struct options *o, char *word, int has_arg)
{
	char *slash = strchr(word, '/');
	size_t used = strlen(o->letters);
	int letter = 0;

	if (slash) {
		*slash = '\0';
		letter = slash[1];
	}
	if (is_there(o, word) || o->n == OPTIONS_MAX)
		return;
	if (letter && !strchr(o->letters, letter))
		snprintf(o->letters + used, sizeof(o->letters) - used, "%c%.*s",
			 letter, has_arg, "::");
	o->option[o->n] = (struct option){word, has_arg, NULL,
					  letter ? letter : 256 + (int)o->n};
	o->n++;
}

/* The words of `all` are split in place: a list of names, and '1' to '3' behind
 * it for what has_arg is to be. */
static int make_options(const char *own, bool sbatch, struct options *ret,
			struct err *err)
{
	char *word, *save = NULL;
	int has_arg = required_argument;

	strcpy(ret->letters, "+:");
	if (asprintf(&ret->names, "%s @1 %s @0 %s @2 %s @1 %s @0 %s @2 %s", own,
		     sbatch ? sbatch_with : "", sbatch ? sbatch_without : "",
		     sbatch ? sbatch_may : "", with_argument, without_argument,
		     may_argument) < 0) {
		ret->names = NULL;
		return err_memory(err);
	}
	for (word = strtok_r(ret->names, " ", &save); word;
	     word = strtok_r(NULL, " ", &save))
		if (*word == '@')
			has_arg = word[1] - '0';
		else
			add_option(ret, word, has_arg);
	return 0;
}

/* What the words up to a program or a ':' say. */
struct words {
	struct step_ask ask;
	const char *request, *groups; /* NULL: none */
};

static void take_option(const char *name, const char *value, const char *own,
			struct words *ret)
{
	if (!strcmp(name, own))
		ret->request = value;
	if (!strcmp(name, "het-group") || !strcmp(name, "pack-group"))
		ret->groups = value;
	if (!strcmp(name, "tasks-per-node"))
		name = ask_names[ASK_TASKS_PER_NODE];
	for (int i = 0; i < ASK_COUNT; i++)
		if (!strcmp(name, ask_names[i]))
			ret->ask.value[i] = value;
}

static void note_unknown(const char *word, const char *where, FILE *notes)
{
	char shown[SHOW_SIZE];

	fprintf(notes,
		"%s%s isn't an option that is known here: skipped (an argument "
		"of it is known by its '=' alone)\n",
		where, show(shown, word));
}

static int read_options(int argc, char *argv[], const struct options *o,
			const char *own, const char *where, FILE *notes,
			struct words *ret, struct err *err)
{
	int c, at = 1;

	opterr = 0;
	optind = 0;
	while ((c = getopt_long(argc, argv, o->letters, o->option, NULL)) !=
	       -1) {
		if (c == ':')
			return err_printf(err, "no value after %s",
					  argv[optind - 1]);
		if (c == '?')
			note_unknown(argv[at < argc ? at : argc - 1], where,
				     notes);
		for (size_t i = 0; c != '?' && i < o->n; i++)
			if (o->option[i].val == c)
				take_option(o->option[i].name, optarg, own,
					    ret);
		at = optind;
	}
	return 0;
}

static int read_words(int argc, char *argv[], const char *own, bool sbatch,
		      const char *where, FILE *notes, struct words *ret,
		      struct err *err)
{
	__attribute__((cleanup(options_clear))) struct options o = {.n = 0};

	if (make_options(own, sbatch, &o, err) < 0)
		return -1;
	return read_options(argc, argv, &o, own, where, notes, ret, err);
}

void overlay_ask(const struct step_ask *over, struct step_ask *ask)
{
	for (int i = 0; i < ASK_COUNT; i++)
		if (over->value[i])
			ask->value[i] = over->value[i];
}

/* "0", "0,2-3", "[0-1]"; by default the part of that number on the line. */
static int read_groups(const char *text, unsigned number, struct idlist *ret,
		       struct err *err)
{
	char copy[64], shown[SHOW_SIZE];

	*ret = (struct idlist){.n = 1, .id = {(unsigned short)number}};
	if (!text)
		return 0;
	snprintf(copy, sizeof(copy), "%s", text + (*text == '['));
	copy[strcspn(copy, "]")] = '\0';
	if (idlist_parse(copy, ret) == 0 && ret->n)
		return 0;
	return err_printf(err, "--het-group=%s: must be a list of numbers",
			  show(shown, text));
}

static int add_part(const struct words *w, unsigned group,
		    const struct part *job, unsigned njob,
		    struct srun_line *ret, struct err *err)
{
	struct part *part = &ret->part[ret->nparts];

	if (njob && group >= njob)
		return err_printf(err,
				  "--het-group=%u: the job has the components "
				  "0 to %u",
				  group, njob - 1);
	if (ret->nparts == PARTS_MAX)
		return err_printf(err, "more than %d components", PARTS_MAX);
	*part = (struct part){.group = group,
			      .ask = njob ? job[group].ask : ret->ask,
			      .request = w->request};
	overlay_ask(&w->ask, &part->ask);
	ret->nparts++;
	return 0;
}

/* The words of one part of the line: maybe of several components. Returns where
 * its program begins, or -1. */
static int read_part(int argc, char *argv[], const char *own, const char *where,
		     FILE *notes, unsigned number, const struct part *job,
		     unsigned njob, struct srun_line *ret, struct err *err)
{
	struct words w = {.request = NULL};
	struct idlist groups;

	if (read_words(argc, argv, own, false, where, notes, &w, err) < 0 ||
	    read_groups(w.groups, number, &groups, err) < 0)
		return -1;
	for (unsigned i = 0; i < groups.n; i++)
		if (add_part(&w, groups.id[i], job, njob, ret, err) < 0)
			return -1;
	if (w.request)
		ret->request = w.request;
	return optind;
}

/* Slurm numbers the tasks by group, and as written in one group. */
static void sort_parts(struct srun_line *line)
{
	for (unsigned i = 1; i < line->nparts; i++)
		for (unsigned at = i;
		     at && line->part[at - 1].group > line->part[at].group;
		     at--) {
			struct part p = line->part[at];

			line->part[at] = line->part[at - 1];
			line->part[at - 1] = p;
		}
}

/* One component is an ordinary step; the others take the last option. */
static void finish_parts(struct srun_line *line)
{
	for (unsigned i = 0; i < line->nparts; i++)
		if (!line->part[i].request)
			line->part[i].request = line->request;
	if (line->nparts > 1) {
		sort_parts(line);
		return;
	}
	line->ask = line->part[0].ask;
	line->nparts = 0;
}

int srun_line_read(int argc, char *argv[], const char *option,
		   const char *where, FILE *notes, const struct part *job,
		   unsigned njob, struct srun_line *ret, struct err *err)
{
	int from = 0, at;

	for (unsigned number = 0; from < argc; number++) {
		at = read_part(argc - from, argv + from, option, where, notes,
			       number, job, njob, ret, err);
		if (at < 0)
			return -1;
		from += at;
		ret->command = from < argc ? argv + from : NULL;
		while (from < argc && strcmp(argv[from], ":") != 0)
			from++;
	}
	finish_parts(ret);
	return 0;
}

int sbatch_options_read(int argc, char *argv[], const char *option, FILE *notes,
			struct srun_line *ret, struct err *err)
{
	struct words w = {.request = NULL};

	if (read_words(argc, argv, option, true, "", notes, &w, err) < 0)
		return -1;
	overlay_ask(&w.ask, &ret->ask);
	if (w.request)
		ret->request = w.request;
	ret->command = NULL;
	return 0;
}
