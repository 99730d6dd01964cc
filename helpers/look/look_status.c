/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sight "status". Its rows (a number that nobody knows is -1):
 *
 *	world NAME			before all others, in a world of a step
 *					with several roles
 *	node ROUND SPARE NPROCS
 *	rank RANK PID UP_MS ENDED CODE QUIET_MS
 *	use RANK PID AT_MS STATE NPROCS CPU_MS RSS_KIB WRITTEN
 *	device RANK NDEVICES USED_MIB TOTAL_MIB PERCENT
 *	role NAME WORLD STATE URL TEXT	of such a step; its agents are no ranks
 *
 * those of metrics_tell() (helpers/metrics/metrics.h); the controller adds its
 * own (helpers/step/step_rows.c).
 *
 * What /proc and the devices' driver say is asked by a child, which may hang:
 * what it has told until then counts.
 */
#include "helpers/look/look_state.h"

#include "core/base/text.h"
#include "core/facts/rows.h"
#include "core/plan/plan.h"
#include "helpers/gpu/gpu.h"
#include "helpers/metrics/metrics.h"
#include "helpers/output/output.h"
#include "sys/subprocess.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* The rows "device" of the sight "status": of each rank's GPUs, where the
 * driver's library tells of them. In a child. */

#define WORD_SIZE 96

struct sum {
	unsigned n, npercent;
	long used, size, percent;
};

/* The word at `index` of "0,1,GPU-...". Returns 0 or -1. */
static int word_at(const char *list, unsigned index, char ret[WORD_SIZE])
{
	size_t n;

	for (; index && *list; index--) {
		list += strcspn(list, ",");
		list += *list == ',';
	}
	n = strcspn(list, ",");
	if (!n || n >= WORD_SIZE)
		return -1;
	memcpy(ret, list, n);
	ret[n] = '\0';
	return 0;
}

/* What the process finds in the variable that limits it. */
static const char *visible(const struct launch_view *v, const struct process *p)
{
	const struct device_facts *facts = &v->job->devices;

	if (p->devices.variable)
		return p->devices.visible;
	return facts->task_visible ? facts->task_visible : facts->step_visible;
}

static void add(struct sum *sum, const struct gpu_use *use)
{
	if (use->size_mib < 0)
		return;
	sum->n++;
	sum->used += use->used_mib;
	sum->size += use->size_mib;
	if (use->percent >= 0) {
		sum->npercent++;
		sum->percent += use->percent;
	}
}

static void tell_use(FILE *f, const struct launch_view *v,
		     const struct process *p, const struct gpu_use *use, int n)
{
	const char *list = visible(v, p);
	struct sum sum = {0};
	char word[WORD_SIZE];

	for (unsigned i = 0; list && i < p->devices.own.n; i++) {
		int at;

		if (word_at(list, p->devices.own.id[i], word) < 0)
			continue;
		at = gpu_use_find(use, n, word);
		if (at >= 0)
			add(&sum, &use[at]);
	}
	if (!sum.n)
		return;
	row_begin(f, "device");
	row_number(f, p->rank);
	row_number(f, sum.n);
	row_number(f, sum.used);
	row_number(f, sum.size);
	row_number(f, sum.npercent ? sum.percent / (long)sum.npercent : -1);
	row_end(f);
}

/* The library is opened only where a rank has GPUs. */
static void devices_tell(FILE *f, const struct launch_view *v)
{
	static struct gpu_use use[GPUS_MAX]; /* of the child alone */
	int n = -1;

	for (unsigned i = 0; i < v->procs->n; i++) {
		const struct proc *w = &v->procs->proc[i];

		if (w->pid <= 0 || w->ended || w->process.added ||
		    !w->process.devices.own.n || v->job->devices.npu)
			continue;
		if (n < 0)
			n = gpu_use("", use);
		if (n <= 0)
			return;
		tell_use(f, v, &w->process, use, n);
	}
}

#define LEFT_MS 500 /* of the sight's time, for the way back */

struct status {
	struct sight *sight;
	struct subprocess child;
	struct loop_timer deadline;
	char *rows; /* so far */
	size_t n;
};

/* --- what the launcher knows --- */

static long long quiet_ms(const struct launch_view *v, unsigned index)
{
	uint64_t heard = v->output ? output_heard_ms(v->output, index) : 0;

	return heard ? (long long)(loop_now_ms() - heard) : -1;
}

static void tell_rank(FILE *f, const struct launch_view *v, unsigned index)
{
	const struct proc *w = &v->procs->proc[index];
	uint64_t until = w->ended ? w->ended_ms : loop_now_ms();

	row_begin(f, "rank");
	row_number(f, w->process.rank);
	row_number(f, w->pid);
	row_number(f, (long long)(until - w->started_ms));
	row_number(f, w->ended);
	row_number(f, w->ended ? proc_exit_code(w) : 0);
	row_number(f, quiet_ms(v, index));
	row_end(f);
}

static bool is_told(const struct launch_view *v, const struct proc *w)
{
	return w->pid > 0 && !w->process.added && !has_roles(v);
}

static void tell_node(FILE *f, const struct launch_view *v)
{
	if (v->job->world)
		fprintf(f, ROW_WORLD, v->job->world);
	row_begin(f, "node");
	row_number(f, v->job->round);
	row_number(f, v->plan->spare);
	row_number(f, v->plan->spare || has_roles(v)
			      ? 0
			      : v->plan->nprocs + node_tasks_others(v->plan));
	row_end(f);
	for (unsigned i = 0; i < v->procs->n; i++)
		if (is_told(v, &v->procs->proc[i]))
			tell_rank(f, v, i);
}

static char *own_rows(const struct launch_view *v)
{
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);

	if (!f)
		return NULL;
	tell_node(f, v);
	metrics_tell(v->metrics, f);
	return text_stream_take(&stream);
}

/* --- what the child sees --- */

static int look_at_ranks(const int fd[2], const void *arg)
{
	const struct launch_view *v = arg;
	const struct procs *procs = v->procs;
	FILE *f = fdopen(fd[1], "w");

	if (!f)
		return EXIT_FAILURE;
	for (unsigned i = 0; i < procs->n; i++) {
		const struct proc *w = &procs->proc[i];

		if (is_told(v, w) && !w->ended)
			tree_use_tell(f, "", w->process.rank, w->pid);
	}
	if (has_roles(v) && !v->job->procid)
		roles_tell(f, v->run_dir->path);
	/* The driver may hang: the rest is told before */
	fflush(f);
	devices_tell(f, v);
	return fflush(f) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* --- the sight --- */

void status_end(struct sight *sight)
{
	struct status *s = sight_kept(sight);

	if (!s)
		return;
	if (s->child.pid > 0) {
		subprocess_kill(&s->child, SIGKILL);
		subprocess_close(&s->child);
	}
	loop_disarm(sight_view(sight)->loop, &s->deadline);
	free(s->rows);
	free(s);
}

static void tell(void *arg)
{
	struct status *s = arg;
	char *end;

	s->rows[s->n] = '\0';
	end = strrchr(s->rows, '\n');
	if (end)
		end[1] = '\0';
	sight_tell(s->sight, s->rows);
}

static void on_rows(void *arg, const char *data, size_t n)
{
	struct status *s = arg;
	char *more;

	if (!n || s->n + n > SIGHT_MAX) {
		tell(s);
		return;
	}
	more = realloc(s->rows, s->n + n + 1);
	if (!more) {
		tell(s);
		return;
	}
	s->rows = more;
	memcpy(s->rows + s->n, data, n);
	s->n += n;
}

static void ask_child(struct status *s, struct launch_view *v)
{
	const struct subprocess_spec spec = {
		.run = look_at_ranks,
		.arg = v,
		.flags = SUBPROCESS_LOOKS,
	};
	long ms = sight_ms(s->sight) - LEFT_MS;
	struct err err;

	if (subprocess_start(&spec, &s->child, &err) < 0) {
		s->child.pid = 0;
		tell(s);
		return;
	}
	s->deadline = (struct loop_timer){.expired = tell, .arg = s};
	loop_arm(v->loop, &s->deadline, ms > 0 ? (uint64_t)ms : 0);
	if (subprocess_watch(&s->child, v->loop, on_rows, s, &err) < 0)
		tell(s);
}

void status_begin(struct sight *sight, const char *words)
{
	struct launch_view *v = sight_view(sight);
	struct status *s = calloc(1, sizeof(*s));

	(void)words;
	if (s)
		s->rows = own_rows(v);
	if (!s || !s->rows) {
		free(s);
		sight_tell(sight, "");
		return;
	}
	s->sight = sight;
	s->n = strlen(s->rows);
	sight_keep(sight, s);
	ask_child(s, v);
}
