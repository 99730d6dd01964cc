/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launchers FILE...: what the tasks of a heterogeneous step come to whose
 * environments a scenario has kept, in the order of their numbers. Where the
 * plugin has put a launcher before the program, the launchers' part is done
 * here with their own functions: they tell each other what they have, and make
 * their plans of it; only the network between them is left out. A line for each
 * process: "show NAME=VALUE ...". Ends with 1, and the reason, where the step
 * is refused.
 */
#include "core/env/process_env.h"
#include "core/facts/handover.h"
#include "core/facts/learned.h"
#include "core/plan/plan.h"
#include "registry/registry.h"
#include "sys/text_file.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TASKS_MAX 256
#define ENV_MAX	  4096
#define TEXT_MAX  (1 << 20)

struct task {
	char *text;
	const char *env[ENV_MAX];
	unsigned n;
	const char *all; /* what the launchers have told each other, or NULL */
};

static const char *const shown[] = {
	"RANK",
	"WORLD_SIZE",
	"LOCAL_RANK",
	"LOCAL_WORLD_SIZE",
	"GROUP_RANK",
	"MASTER_ADDR",
	"MASTER_PORT",
	"DIST_TRAIN_RANK",
	"DIST_TRAIN_WORLD_SIZE",
	"DIST_TRAIN_LOCAL_RANK",
	"DIST_TRAIN_LOCAL_WORLD_SIZE",
	"DIST_TRAIN_NODE_RANK",
	"DIST_TRAIN_NNODES",
	"DIST_TRAIN_DEVICES",
	"DIST_TRAIN_STEP",
	"SLURM_PROCID",
	"SLURM_LOCALID",
	"SLURM_NODEID",
	"SLURM_NTASKS",
	"SLURM_STEP_NUM_TASKS",
	"SLURM_GTIDS",
};

static void refused(const struct err *err)
{
	fprintf(stderr, "%s\n", err->text);
	exit(EXIT_FAILURE);
}

static const char *look_up(void *arg, const char *name)
{
	const struct task *t = arg;
	size_t len = strlen(name);

	if (t->all && !strcmp(name, HANDOVER_LEARNED))
		return t->all;
	for (unsigned i = 0; i < t->n; i++)
		if (!strncmp(t->env[i], name, len) && t->env[i][len] == '=')
			return t->env[i] + len + 1;
	return NULL;
}

/* The plugin's own words where it has refused the task. */
static void read_task(const char *file, struct task *t)
{
	FILE *f = fopen(file, "re");
	size_t n;

	t->text = calloc(1, TEXT_MAX);
	if (!f || !t->text)
		err(2, "%s", file);
	n = fread(t->text, 1, TEXT_MAX - 1, f);
	fclose(f);
	for (char *at = t->text; at < t->text + n; at += strlen(at) + 1)
		if (t->n < ENV_MAX)
			t->env[t->n++] = at;
	if (!look_up(t, "SLURM_PROCID"))
		errx(EXIT_FAILURE, "%s", t->text);
}

struct facts {
	struct config config;
	struct request request;
	struct job job;
};

static void read_facts(struct task *t, struct facts *ret)
{
	char remark[COMPONENTS_REMARK_SIZE];
	struct err err;

	*ret = (struct facts){0};
	if (handed_read(look_up, t, &ret->config, &ret->request, &ret->job,
			&err) < 0 ||
	    handed_learned(look_up, t, &ret->config, &ret->request, &ret->job,
			   remark, &err) < 0)
		refused(&err);
}

static void clear(struct facts *f)
{
	request_clear(&f->request);
	config_clear(&f->config);
	job_clear(&f->job);
}

/* What all launchers get to know; NULL where there is nothing to be learned. */
static char *tell_all(struct task *task, unsigned n)
{
	const char *words = look_up(&task[0], HANDOVER_LEARN);
	char own[LEARNED_OWN_SIZE];
	struct facts first, f;
	struct learned *l;
	unsigned what;
	struct err err;
	char *all;

	if (!words)
		return NULL;
	read_facts(&task[0], &first);
	if (learned_words(words, &what, &err) < 0)
		refused(&err);
	l = learned_new(&first.job, what);
	for (unsigned i = n; i-- > 0;) {
		read_facts(&task[i], &f);
		if (!look_up(&task[i], HANDOVER_LEARN) ||
		    learned_own(&f.job, what, own, &err) < 0 ||
		    learned_add(l, i, own) != (int)i)
			errx(2, "task %u tells nothing", i);
		clear(&f);
	}
	all = learned_text(l, &err);
	if (!all)
		refused(&err);
	learned_free(l);
	clear(&first);
	return all;
}

static const char *value_of(struct task *t, const struct envset *set,
			    const char *name)
{
	const struct env_entry *e = set ? envset_find(set, name) : NULL;

	return e ? e->value : look_up(t, name);
}

static void show(struct task *t, const struct envset *set)
{
	printf("show");
	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++) {
		const char *value = value_of(t, set, shown[i]);

		printf(" %s=%s", shown[i], value ? value : "");
	}
	printf("\n");
}

static void show_processes(struct task *t)
{
	struct facts f;
	struct plan plan;
	struct err err;

	read_facts(t, &f);
	if (plan_make(&f.request, &f.config, &f.job, &plan, &err) < 0)
		refused(&err);
	for (unsigned i = 0; i < plan.nprocs; i++) {
		struct envset set = {0};
		struct process p;

		if (plan_process(&plan, i, &p, &err) < 0 ||
		    process_env(&plan, &p, &set, &err) < 0)
			refused(&err);
		show(t, &set);
		envset_clear(&set);
	}
	clear(&f);
}

int main(int argc, char **argv)
{
	static struct task task[TASKS_MAX];
	unsigned n = (unsigned)argc - 1;
	char *all;

	if (!n || n > TASKS_MAX)
		errx(2, "usage: launchers FILE...");
	for (unsigned i = 0; i < n; i++)
		read_task(argv[i + 1], &task[i]);
	all = tell_all(task, n);
	for (unsigned i = 0; i < n; i++) {
		task[i].all = all;
		if (look_up(&task[i], HANDOVER_REQUEST))
			show_processes(&task[i]);
		else
			show(&task[i], NULL);
	}
	for (unsigned i = 0; i < n; i++)
		free(task[i].text);
	free(all);
	return EXIT_SUCCESS;
}
