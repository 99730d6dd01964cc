/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A launcher's own ranks. It tells when all have been quiet for half of the
 * key's time, and when one works again: a step that works tells nothing.
 */
#include "helpers/watch/watch.h"

#include "core/facts/rows.h"
#include "helpers/launch/launch.h"
#include "helpers/launch/step.h"
#include "helpers/metrics/metrics.h"
#include "helpers/watch/watch_state.h"

#include <stdio.h>
#include <stdlib.h>

#define INTERVAL_MIN_MS 500
#define INTERVAL_MAX_MS 4000

/* Longer between two looks: the launcher itself was stopped (scontrol
 * suspend), and so were the ranks. */
#define STOPPED_MS 10000

static uint64_t limit_ms(const struct watch *w)
{
	return (uint64_t)w->hang.seconds * 1000;
}

static void tell(struct watch *w, enum hang_member state, uint64_t ms)
{
	char text[64];

	snprintf(text, sizeof(text), "%u %d %llu", w->launch->job.round, state,
		 (unsigned long long)ms);
	launch_send(w->launch, MSG_QUIET, text);
}

static bool runs(const struct watch *w, const struct watched *rank)
{
	return !w->launch->procs.proc[rank->index].ended;
}

static void drop_ranks(struct watch *w)
{
	for (unsigned i = 0; i < w->n; i++)
		signs_close(&w->rank[i].signs);
	free(w->rank);
	w->rank = NULL;
	w->n = 0;
}

/* --- a look --- */

/* When it has said how far it is (key metrics); 0: never. */
static uint64_t last_report(const struct watch *w, const struct watched *rank)
{
	return metrics_last_ms(w->launch->metrics,
			       w->launch->procs.proc[rank->index].process.rank);
}

static void look_at_all(struct watch *w, uint64_t now)
{
	bool was_stopped = now - w->looked_ms > w->interval_ms + STOPPED_MS;

	for (unsigned i = 0; i < w->n; i++) {
		struct signs *s = &w->rank[i].signs;
		uint64_t reported;

		if (!runs(w, &w->rank[i]))
			continue;
		if (w->asked)
			signs_skip(s, now);
		else
			signs_look(s, now, limit_ms(w) / 4);
		reported = last_report(w, &w->rank[i]);
		if (reported > s->moved_ms)
			s->moved_ms = reported;
		if (was_stopped || (w->told_quiet && signs_is_held(s)))
			s->moved_ms = now;
	}
	w->looked_ms = now;
}

void watch_ask_recorders(struct watch *w, bool begin)
{
	if (!w)
		return;
	if (!begin)
		look_at_all(w, loop_now_ms());
	w->asked = begin;
}

/* The last sign of any rank that runs; 0: none runs. */
static uint64_t last_sign(const struct watch *w)
{
	uint64_t last = 0;

	for (unsigned i = 0; i < w->n; i++)
		if (runs(w, &w->rank[i]) && w->rank[i].signs.moved_ms > last)
			last = w->rank[i].signs.moved_ms;
	return last;
}

/* What ranks have started, before they are said to be quiet: a rank that works
 * needs nobody to look at its children. */
static void find_all(struct watch *w, uint64_t now)
{
	uint64_t last = last_sign(w), each = limit_ms(w) / 4;
	struct signs **signs;
	unsigned n = 0;

	if (now - last < each || now - w->listed_ms < each)
		return;
	w->listed_ms = now;
	signs = calloc(w->n, sizeof(*signs));
	for (unsigned i = 0; signs && i < w->n; i++)
		if (runs(w, &w->rank[i]))
			signs[n++] = &w->rank[i].signs;
	signs_find(signs, n, now);
	free(signs);
}

static void tell_news(struct watch *w, uint64_t now)
{
	uint64_t last = last_sign(w);

	if (w->told_quiet && last != w->told_ms) {
		w->told_quiet = false;
		tell(w, MEMBER_MOVES, 0);
	} else if (!w->told_quiet && now - last >= limit_ms(w) / 2) {
		w->told_quiet = true;
		w->told_ms = last;
		tell(w, MEMBER_QUIET, now - last);
	}
}

static void on_timer(void *arg)
{
	struct watch *w = arg;
	uint64_t now = loop_now_ms();

	if (last_sign(w)) {
		look_at_all(w, now);
		find_all(w, now);
		tell_news(w, now);
	} else if (!w->told_gone) {
		w->told_gone = true;
		tell(w, MEMBER_GONE, 0);
	}
	watch_centre_check(w);
	loop_arm(&w->launch->loop, &w->timer, w->interval_ms);
}

/* --- rounds --- */

static bool is_rank(const struct proc *p)
{
	return p->pid > 0 && !p->process.added && !p->process.service;
}

/* As many as there is memory for. */
static void add_ranks(struct watch *w)
{
	const struct procs *procs = &w->launch->procs;
	uint64_t now = loop_now_ms();

	w->rank = calloc(procs->n ? procs->n : 1, sizeof(*w->rank));
	for (unsigned i = 0; w->rank && i < procs->n; i++) {
		struct watched *rank = &w->rank[w->n];

		rank->index = i;
		if (is_rank(&procs->proc[i]) &&
		    signs_open(&rank->signs, "", procs->proc[i].pid, now) == 0)
			w->n++;
	}
	w->looked_ms = now;
}

void watch_begin(struct watch *w)
{
	if (!w)
		return;
	drop_ranks(w);
	add_ranks(w);
	if (!w->n)
		return;
	w->told_quiet = w->told_gone = false;
	tell(w, MEMBER_MOVES, 0);
	loop_arm(&w->launch->loop, &w->timer, w->interval_ms);
}

void watch_leave(struct watch *w)
{
	if (!w || !w->n)
		return;
	loop_disarm(&w->launch->loop, &w->timer);
	tell(w, MEMBER_GONE, 0);
	drop_ranks(w);
}

/* --- for the sight "signs" --- */

static void tell_rank(const struct watch *w, const struct watched *rank,
		      FILE *f)
{
	const struct proc *p = &w->launch->procs.proc[rank->index];

	if (!runs(w, rank))
		return;
	row_begin(f, "sign");
	row_number(f, p->process.rank);
	row_number(f, (long long)(loop_now_ms() - rank->signs.moved_ms));
	row_number(f, signs_is_busy(&rank->signs));
	row_number(f, rank->signs.n);
	row_end(f);
}

char *watch_rows(const struct watch *w)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	for (unsigned i = 0; w && i < w->n; i++)
		tell_rank(w, &w->rank[i], f);
	if (fclose(f) == 0)
		return text;
	free(text);
	return NULL;
}

/* --- opening --- */

static uint64_t choose_interval(const struct hang *hang)
{
	uint64_t ms = (uint64_t)hang->seconds * 100;

	if (ms < INTERVAL_MIN_MS)
		return INTERVAL_MIN_MS;
	return ms > INTERVAL_MAX_MS ? INTERVAL_MAX_MS : ms;
}

int watch_open(struct launch *l, struct err *err)
{
	const struct hang *hang = &l->plan.resolved.hang;
	struct watch *w;

	if (!hang->seconds)
		return 0;
	w = calloc(1, sizeof(*w));
	if (!w)
		return err_memory(err);
	*w = (struct watch){
		.launch = l,
		.hang = *hang,
		.interval_ms = choose_interval(hang),
		.timer = {.expired = on_timer, .arg = w},
	};
	l->watch = w;
	return watch_centre_open(w, err);
}

void watch_close(struct watch *w)
{
	if (!w)
		return;
	loop_disarm(&w->launch->loop, &w->timer);
	watch_centre_close(w);
	drop_ranks(w);
	free(w);
}
