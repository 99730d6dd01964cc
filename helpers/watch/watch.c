/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A launcher's own ranks. It tells when all have been quiet for half of the
 * key's time, and when one works again: a step that works tells nothing.
 */
#include "helpers/watch/watch.h"

#include "core/base/text.h"
#include "core/facts/rows.h"
#include "core/option/key_forms.h"
#include "helpers/metrics/metrics.h"
#include "helpers/part/launch_tell.h"
#include "helpers/part/launch_view.h"
#include "helpers/part/part.h"
#include "helpers/watch/signs.h"
#include "sys/loop.h"
#include "sys/subprocess.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INTERVAL_MIN_MS 500
#define INTERVAL_MAX_MS 4000

/* A rank of this launcher, or what has its number: torchrun, a shell. */
struct watched {
	unsigned index;	   /* of the procs */
	uint64_t moved_ms; /* its last sign of work */
	bool busy;	   /* one of its processes uses CPU */
	unsigned nprocs;
};

struct watch {
	struct launch_view *v;
	struct hang hang;
	struct loop_timer timer;
	uint64_t interval_ms;
	struct subprocess child; /* that looks at the ranks; or 0 */
	size_t ntext;
	char text[16384]; /* its rows that have come in part */
	struct watched *rank;
	unsigned n;
	bool told_quiet, told_gone;
	uint64_t told_ms; /* since when, as was told */
};

static uint64_t limit_ms(const struct watch *w)
{
	return (uint64_t)w->hang.seconds * 1000;
}

static void tell(struct watch *w, enum quiet_state state, uint64_t ms)
{
	char text[64];

	snprintf(text, sizeof(text), "%u %d %llu", w->v->job->round, state,
		 (unsigned long long)ms);
	launch_send(w->v->launch, MSG_QUIET, text);
}

static bool runs(const struct watch *w, const struct watched *rank)
{
	return !w->v->procs->proc[rank->index].ended;
}

/* --- what is known of the ranks --- */

/* When it has said how far it is (key metrics); 0: never. */
static uint64_t last_report(const struct watch *w, const struct watched *rank)
{
	return metrics_last_ms(w->v->metrics,
			       w->v->procs->proc[rank->index].process.rank);
}

/* The last sign of any rank that runs; 0: none runs. */
static uint64_t last_sign(struct watch *w)
{
	uint64_t last = 0;

	for (unsigned i = 0; i < w->n; i++) {
		struct watched *rank = &w->rank[i];
		uint64_t reported;

		if (!runs(w, rank))
			continue;
		reported = last_report(w, rank);
		if (reported > rank->moved_ms)
			rank->moved_ms = reported;
		if (rank->moved_ms > last)
			last = rank->moved_ms;
	}
	return last;
}

static void tell_news(struct watch *w, uint64_t last, uint64_t now)
{
	if (w->told_quiet && last != w->told_ms) {
		w->told_quiet = false;
		tell(w, RANKS_WORK, 0);
	} else if (!w->told_quiet && now - last >= limit_ms(w) / 2) {
		w->told_quiet = true;
		w->told_ms = last;
		tell(w, RANKS_QUIET, now - last);
	}
}

static void judge(struct watch *w)
{
	uint64_t now = loop_now_ms(), last = last_sign(w);

	if (last) {
		tell_news(w, last, now);
	} else if (w->n && !w->told_gone) {
		w->told_gone = true;
		tell(w, RANKS_GONE, 0);
	}
}

static void on_timer(void *arg)
{
	struct watch *w = arg;

	judge(w);
	loop_arm(w->v->loop, &w->timer, w->interval_ms);
}

/* --- the child that looks --- */

static void end_child(struct watch *w)
{
	if (w->child.pid > 0)
		subprocess_kill(&w->child, SIGKILL);
	subprocess_close(&w->child);
	w->child = (struct subprocess){0};
}

static void take_row(struct watch *w, char *field[ROW_FIELDS])
{
	unsigned long place = strtoul(field[1], NULL, 10);
	uint64_t moved = strtoull(field[2], NULL, 10);
	struct watched *rank;

	if (strcmp(field[0], "sign") != 0 || place >= w->n)
		return;
	rank = &w->rank[place];
	if (moved > rank->moved_ms)
		rank->moved_ms = moved;
	rank->busy = *field[3] == '1';
	rank->nprocs = (unsigned)strtoul(field[4], NULL, 10);
}

/* Rows come in pieces. */
static void on_rows(void *arg, const char *data, size_t n)
{
	struct watch *w = arg;
	char *field[ROW_FIELDS], *end, *at = w->text;

	if (n == 0) {
		end_child(w); /* stacks alone tell who works, from now on */
		return;
	}
	if (n > sizeof(w->text) - 1 - w->ntext)
		n = sizeof(w->text) - 1 - w->ntext;
	memcpy(w->text + w->ntext, data, n);
	w->ntext += n;
	w->text[w->ntext] = '\0';
	end = strrchr(w->text, '\n');
	if (!end)
		return;
	*end = '\0';
	while (row_next(&at, field))
		take_row(w, field);
	w->ntext -= (size_t)(end + 1 - w->text);
	memmove(w->text, end + 1, w->ntext);
	judge(w);
}

/* Without it nobody is watched. */
static void start_child(struct watch *w, const pid_t *pids)
{
	const struct signs_wish wish = {
		.n = w->n,
		.pid = pids,
		.interval_ms = w->interval_ms,
		.limit_ms = limit_ms(w),
	};
	const struct subprocess_spec spec = {
		.run = signs_child,
		.arg = &wish,
		.flags = SUBPROCESS_LOOKS | SUBPROCESS_IN,
	};
	struct err ignored;

	w->ntext = 0;
	if (subprocess_start(&spec, &w->child, &ignored) < 0 ||
	    subprocess_watch(&w->child, w->v->loop, on_rows, w, &ignored) < 0)
		w->n = 0;
}

void watch_ask_recorders(const struct launch_view *v, bool begin)
{
	struct watch *w = own_of(v->launch, &watch_part);
	char word = begin ? SIGNS_ASKED : SIGNS_COUNT;

	if (!w || w->child.pid <= 0)
		return;
	if (write(w->child.in, &word, 1) != 1)
		end_child(w);
}

/* --- rounds --- */

static bool is_rank(const struct proc *p)
{
	return p->pid > 0 && !p->process.added && !p->process.service;
}

/* As many as there is memory for. */
static void add_ranks(struct watch *w)
{
	const struct procs *procs = w->v->procs;
	cleanup_free pid_t *pids = calloc(procs->n + 1, sizeof(*pids));
	uint64_t now = loop_now_ms();

	w->rank = calloc(procs->n + 1, sizeof(*w->rank));
	for (unsigned i = 0; pids && w->rank && i < procs->n; i++) {
		if (!is_rank(&procs->proc[i]))
			continue;
		pids[w->n] = procs->proc[i].pid;
		w->rank[w->n++] = (struct watched){.index = i, .moved_ms = now};
	}
	if (w->n)
		start_child(w, pids);
}

static void drop_ranks(struct watch *w)
{
	end_child(w);
	free(w->rank);
	w->rank = NULL;
	w->n = 0;
}

static void begin(struct launch *l)
{
	struct watch *w = own_of(l, &watch_part);

	drop_ranks(w);
	add_ranks(w);
	w->told_quiet = w->told_gone = false;
	if (w->n)
		tell(w, RANKS_WORK, 0);
}

static void leave(struct launch *l)
{
	struct watch *w = own_of(l, &watch_part);

	if (w->n)
		tell(w, RANKS_GONE, 0);
	drop_ranks(w);
}

/* --- for the sight "signs" --- */

static void tell_rank(const struct watch *w, const struct watched *rank,
		      FILE *f)
{
	const struct proc *p = &w->v->procs->proc[rank->index];

	if (!runs(w, rank))
		return;
	row_begin(f, "sign");
	row_number(f, p->process.rank);
	row_number(f, (long long)(loop_now_ms() - rank->moved_ms));
	row_number(f, rank->busy);
	row_number(f, rank->nprocs);
	row_end(f);
}

char *watch_rows(const struct launch_view *v)
{
	const struct watch *w = own_of(v->launch, &watch_part);
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);

	if (!f)
		return NULL;
	for (unsigned i = 0; w && i < w->n; i++)
		tell_rank(w, &w->rank[i], f);
	return text_stream_take(&stream);
}

/* --- opening --- */

static uint64_t choose_interval(const struct hang *hang)
{
	uint64_t ms = (uint64_t)hang->seconds * 100;

	if (ms < INTERVAL_MIN_MS)
		return INTERVAL_MIN_MS;
	return ms > INTERVAL_MAX_MS ? INTERVAL_MAX_MS : ms;
}

static bool is_wanted(const struct plan *plan)
{
	return plan->resolved.hang.seconds;
}

static int open(struct launch *l, struct err *err)
{
	struct launch_view *v = launch_view(l);
	const struct hang *hang = &v->plan->resolved.hang;
	struct watch *w = own_of(l, &watch_part);

	(void)err;
	*w = (struct watch){
		.v = v,
		.hang = *hang,
		.interval_ms = choose_interval(hang),
		.timer = {.expired = on_timer, .arg = w},
	};
	loop_arm(v->loop, &w->timer, w->interval_ms);
	return 0;
}

static void close_watch(struct launch *l)
{
	struct watch *w = own_of(l, &watch_part);

	loop_disarm(w->v->loop, &w->timer);
	drop_ranks(w);
}

const struct part watch_part = {
	.name = "watch",
	.wanted = is_wanted,
	.size = sizeof(struct watch),
	.open = open,
	.close = close_watch,
	.runs = begin,
	.leave = leave,
};
