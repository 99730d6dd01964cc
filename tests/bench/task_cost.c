/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the plugin computes for one task, over and over, in steps of several
 * sizes: facts, plan, process, environment, the comparison with the user's.
 * Not in it: Slurm's own calls and, once per node, the route to rank 0.
 *
 *     task_cost time RANKS...             lines of SHAPE RANKS MICROSECONDS
 *     task_cost work|empty SHAPE RANKS N  N tasks; `empty` without the plugin,
 *                                         to be subtracted by who counts
 */
#include "core/env/process_env.h"
#include "core/facts/job.h"
#include "core/option/config.h"
#include "core/option/option.h"
#include "core/plan/framework.h"
#include "core/plan/plan.h"
#include "registry/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define VARIABLES 128
#define BLOCK	  50  /* tasks between two looks at the clock */
#define BLOCKS	  101 /* of each shape and size; the median counts */
#define SIZES	  8
#define COUNT(a)  (sizeof(a) / sizeof(*(a)))

struct shape {
	const char *name, *option;
	unsigned even, odd; /* processes of a node, by its number's parity */
	bool by_node;	    /* one task per node: device mode */
	bool ranges;	    /* node[1-N], not node[1,3,5,...] */
	bool handed;	    /* srun told where rank 0 is */
	bool counted;	    /* srun told the devices of each node */
};

static const struct shape shapes[] = {
	{"regular", "ddp", 8, 8, false, true, true, false},
	{"irregular", "ddp", 8, 6, false, false, true, false},
	{"irregular-alone", "ddp", 8, 6, false, false, false, false},
	{"device", "ddp,procs=8", 8, 8, true, true, true, false},
	{"device-counted", "ddp", 8, 6, true, false, true, true},
};

/* A step, and the environment of one of its tasks as Slurm's own array. */
struct step {
	const struct shape *shape;
	struct config config;
	struct request request;
	unsigned nnodes, ntasks;
	char *env[VARIABLES];
	size_t len[VARIABLES]; /* of the names */
	unsigned n;
	unsigned task, node, local; /* the current one */
	char procid[32], localid[32], nodeid[32], node_name[48], gtids[256];
	char gpus[32];
};

static void die(const char *what)
{
	fprintf(stderr, "task_cost: %s\n", what);
	exit(EXIT_FAILURE);
}

/* Keeps the text. */
static void add(struct step *s, char *text)
{
	if (!text || s->n == VARIABLES)
		die("too many variables");
	s->env[s->n] = text;
	s->len[s->n++] = strcspn(text, "=");
}

static void set(struct step *s, const char *name, const char *value)
{
	char *text;

	if (asprintf(&text, "%s=%s", name, value) < 0)
		die("out of memory");
	add(s, text);
}

static void set_number(struct step *s, const char *name, unsigned long n)
{
	char text[24];

	snprintf(text, sizeof(text), "%lu", n);
	set(s, name, text);
}

/* As spank_getenv() searches, and a copy for the caller. */
static const char *lookup(void *arg, const char *name)
{
	const struct step *s = arg;
	size_t len = strlen(name);

	for (unsigned i = 0; i < s->n; i++)
		if (s->len[i] == len && !memcmp(s->env[i], name, len))
			return s->env[i] + len + 1;
	return NULL;
}

static unsigned procs_of(const struct shape *shape, unsigned node)
{
	return node % 2 ? shape->odd : shape->even;
}

static unsigned tasks_of(const struct shape *shape, unsigned node)
{
	return shape->by_node ? 1 : procs_of(shape, node);
}

/* "node[1-1250]", or every second number, which makes no ranges. */
static char *node_list(const struct step *s)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		die("out of memory");
	if (s->shape->ranges)
		fprintf(f, s->nnodes > 1 ? "node[1-%u]" : "node%u", s->nnodes);
	for (unsigned i = 0; !s->shape->ranges && i < s->nnodes; i++)
		fprintf(f, "%s%u", i ? "," : "node[", 2 * i + 1);
	fputs(s->shape->ranges ? "" : "]", f);
	fclose(f);
	return text;
}

/* "8(x1250)", or "8,6,8,6,...", which makes no runs. */
static char *counts(unsigned even, unsigned odd, unsigned nnodes)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		die("out of memory");
	if (even == odd)
		fprintf(f, nnodes > 1 ? "%u(x%u)" : "%u", even, nnodes);
	for (unsigned i = 0; even != odd && i < nnodes; i++)
		fprintf(f, "%s%u", i ? "," : "", i % 2 ? odd : even);
	fclose(f);
	return text;
}

/* What a login session brings along. */
static void set_users(struct step *s)
{
	char name[24];

	set(s, "PATH", "/usr/local/sbin:/usr/local/bin:/usr/bin:/bin");
	set(s, "HOME", "/home/alice");
	set(s, "OMP_NUM_THREADS", "4");
	for (unsigned i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "SITE_MODULE_%u", i);
		set(s, name, "/opt/site/modules/some/application/1.2.3");
	}
}

static void set_slurms(struct step *s)
{
	char *nodes = node_list(s);
	char *tasks =
		counts(tasks_of(s->shape, 0), tasks_of(s->shape, 1), s->nnodes);

	set(s, "SLURM_JOB_NODELIST", nodes);
	set(s, "SLURM_NODELIST", nodes);
	set(s, "SLURM_STEP_NODELIST", nodes);
	set(s, "SLURM_TASKS_PER_NODE", tasks);
	set(s, "SLURM_STEP_TASKS_PER_NODE", tasks);
	free(nodes);
	free(tasks);
	set(s, "SLURM_JOB_ID", "4711");
	set(s, "SLURM_STEP_ID", "3");
	set(s, "SLURM_STEP_RESV_PORTS", "21000-21003");
	set(s, "SLURM_JOB_PARTITION", "all");
	set(s, "SLURM_CLUSTER_NAME", "cluster");
	set(s, "SLURM_DISTRIBUTION", "block");
	set_number(s, "SLURM_NTASKS", s->ntasks);
	set_number(s, "SLURM_NPROCS", s->ntasks);
	set_number(s, "SLURM_STEP_NUM_TASKS", s->ntasks);
	set_number(s, "SLURM_STEP_NUM_NODES", s->nnodes);
	set_number(s, "SLURM_NNODES", s->nnodes);
}

static void set_handover(struct step *s)
{
	char *procs;

	if (s->shape->counted) {
		procs = counts(s->shape->even, s->shape->odd, s->nnodes);
		set(s, "SLURM_DIST_TRAIN_PROCS", procs);
		free(procs);
	}
	set(s, "SLURM_DIST_TRAIN_HANDOVER", "2:4711.3");
	set(s, "SLURM_DIST_TRAIN_NODE", "node1");
	set(s, "SLURM_DIST_TRAIN_ADDR", "10.0.0.1");
}

/* The task's own variables, without a new text for each task. */
static void set_own(struct step *s)
{
	add(s, strcpy(s->procid, "SLURM_PROCID="));
	add(s, strcpy(s->localid, "SLURM_LOCALID="));
	add(s, strcpy(s->nodeid, "SLURM_NODEID="));
	add(s, strcpy(s->node_name, "SLURMD_NODENAME="));
	add(s, strcpy(s->gtids, "SLURM_GTIDS="));
	if (s->shape->counted)
		add(s, strcpy(s->gpus, "SLURM_DIST_TRAIN_GPUS="));
}

static void show_task(struct step *s)
{
	unsigned n = tasks_of(s->shape, s->node);
	int used;

	sprintf(s->procid, "SLURM_PROCID=%u", s->task);
	sprintf(s->localid, "SLURM_LOCALID=%u", s->local);
	sprintf(s->nodeid, "SLURM_NODEID=%u", s->node);
	sprintf(s->node_name, "SLURMD_NODENAME=node%u",
		s->shape->ranges ? s->node + 1 : 2 * s->node + 1);
	used = sprintf(s->gtids, "SLURM_GTIDS=");
	for (unsigned i = 0; i < n; i++)
		used += sprintf(s->gtids + used, i ? ",%u" : "%u",
				s->task - s->local + i);
	sprintf(s->gpus, "SLURM_DIST_TRAIN_GPUS=0-%u",
		procs_of(s->shape, s->node) - 1);
}

/* The last nodes of the step: their way through a list is the longest. */
static void first_task(struct step *s)
{
	s->node = s->nnodes > 16 ? (s->nnodes - 16) & ~1U : 0;
	s->local = 0;
	s->task = s->node / 2 * (tasks_of(s->shape, 0) + tasks_of(s->shape, 1));
	show_task(s);
}

static void next_task(struct step *s)
{
	s->task++;
	if (++s->local == tasks_of(s->shape, s->node)) {
		s->local = 0;
		s->node++;
	}
	if (s->node == s->nnodes)
		first_task(s);
	else
		show_task(s);
}

/* The plan of the current task and the environment of its first process, as
 * apply_task() makes them. `keep` sees it. */
static void apply(struct step *s, void (*keep)(struct step *, struct envset *))
{
	struct envset set = {0};
	struct process process;
	struct plan plan;
	struct job job;
	struct err err;
	const char *outer;

	if (job_read(lookup, s, false, &job, &err) < 0 ||
	    plan_make(&s->request, &s->config, &job, &plan, &err) < 0 ||
	    plan_process(&plan, 0, &process, &err) < 0 ||
	    process_env(&plan, &process, &set, &err) < 0)
		die(err.text);
	outer = lookup(s, "DIST_TRAIN_STEP");
	envset_resolve(&set, lookup, s, false, job_is_stale(&job, outer));
	if (keep)
		keep(s, &set);
	envset_clear(&set);
	job_clear(&job);
}

/* What srun gives each variable that the nodes will set. */
static void set_markers(struct step *s, struct envset *ours)
{
	for (size_t i = 0; i < ours->n; i++)
		if (ours->entry[i].kind != ENV_OURS ||
		    !strncmp(ours->entry[i].name, "DIST_TRAIN_", 11))
			set(s, ours->entry[i].name, ENV_PLUGIN_MISSING);
}

static const struct shape *find_shape(const char *name)
{
	for (size_t i = 0; i < COUNT(shapes); i++)
		if (!strcmp(shapes[i].name, name))
			return &shapes[i];
	die("no such shape");
	return NULL;
}

static struct step *make_step(const struct shape *shape, const char *ranks)
{
	struct step *s = calloc(1, sizeof(*s));
	unsigned long want = strtoul(ranks, NULL, 10), n = 0;
	struct err err;

	if (!s || want < 1 || want > 1000000)
		die("1 to 1000000 ranks");
	s->shape = shape;
	for (; n < want; s->nnodes++) {
		n += procs_of(s->shape, s->nnodes);
		s->ntasks += tasks_of(s->shape, s->nnodes);
	}
	if (config_parse(0, NULL, &s->config, &err) < 0 ||
	    request_parse(s->shape->option, NULL, NULL, &s->request, &err) < 0)
		die(err.text);
	set_users(s);
	set_slurms(s);
	if (s->shape->handed)
		set_handover(s);
	set_own(s);
	first_task(s);
	apply(s, set_markers);
	return s;
}

static void run(struct step *s, unsigned long n, bool empty)
{
	for (unsigned long i = 0; i < n; i++) {
		next_task(s);
		if (!empty)
			apply(s, NULL);
	}
}

/* Microseconds of this process per task: others on the machine don't count. */
static double run_timed(struct step *s, bool empty)
{
	struct timespec a, b;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	run(s, BLOCK, empty);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	return ((double)(b.tv_sec - a.tv_sec) * 1e6 +
		(double)(b.tv_nsec - a.tv_nsec) / 1e3) /
	       BLOCK;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values)
{
	qsort(values, BLOCKS, sizeof(*values), compare);
	return values[BLOCKS / 2];
}

struct timing {
	struct step *step;
	double work[BLOCKS], empty[BLOCKS];
};

/* Shapes and sizes take turns, so that noise meets all of them alike. */
static void time_all(unsigned n, char **ranks)
{
	static struct timing timings[COUNT(shapes) * SIZES];

	if (n > SIZES)
		die("too many sizes");
	for (unsigned i = 0; i < COUNT(shapes) * n; i++)
		timings[i].step = make_step(&shapes[i / n], ranks[i % n]);
	for (int b = 0; b < BLOCKS; b++)
		for (unsigned i = 0; i < COUNT(shapes) * n; i++) {
			struct timing *t = &timings[i];

			t->work[b] = run_timed(t->step, false);
			t->empty[b] = run_timed(t->step, true);
		}
	for (unsigned i = 0; i < COUNT(shapes) * n; i++)
		printf("%s %s %.2f\n", shapes[i / n].name, ranks[i % n],
		       median(timings[i].work) - median(timings[i].empty));
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "time"))
		time_all((unsigned)argc - 2, argv + 2);
	else if (argc == 5)
		run(make_step(find_shape(argv[2]), argv[3]),
		    strtoul(argv[4], NULL, 10), !strcmp(argv[1], "empty"));
	else
		die("see the head of task_cost.c");
	return 0;
}
