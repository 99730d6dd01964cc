/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/array.h"
#include "helpers/cli/report/record_reader.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

/* A process may have ended of the signal before its launcher has noticed it. */
#define EARLIER_MS 600

#define STEPS_MAX 9007199254740992.0 /* 2^53: whole numbers are exact */

static const char *const texts[] = {"why", "found", "text"};

static void get_figures(const cJSON *o, struct node_mark *m)
{
	double n;

	m->steps = m->age_s = m->limit_s = RECORD_NEVER;
	if (m->mark == MARK_PROGRESS)
		m->last = record_number(o, "last_step", STEPS_MAX, &m->steps);
	if (m->mark == MARK_STOPPED) {
		m->signal = record_number(o, "signal", 64, &n) ? (int)n : 0;
		record_number(o, "limit_s", 1e12, &m->limit_s);
	}
	if (m->mark == MARK_SAVED) {
		record_number(o, "value", STEPS_MAX, &m->steps);
		record_number(o, "age_s", 1e12, &m->age_s);
	}
}

static bool get_mark(const cJSON *o, struct node_mark *m)
{
	char event[16];
	double round, n;

	*m = (struct node_mark){.code = -1};
	if (!record_text(o, "event", event, sizeof(event)) ||
	    mark_parse(event, &m->mark) < 0 ||
	    !record_number(o, "t_ms", 1e15, &m->at_ms) ||
	    !record_number(o, "round", RECORD_RANK_MAX, &round) ||
	    !record_text(o, "step", m->step, sizeof(m->step)))
		return false;
	m->round = (unsigned)round;
	get_figures(o, m);
	record_text(o, "by", m->by, sizeof(m->by));
	record_text(o, "world", m->world, sizeof(m->world));
	record_text(o, "state", m->state, sizeof(m->state));
	if (record_number(o, "code", 255, &n))
		m->code = (int)n;
	if (record_number(o, "nnodes", RECORD_RANK_MAX, &n))
		m->nnodes = (unsigned)n;
	if (record_number(o, "world_size", RECORD_RANK_MAX, &n))
		m->world_size = (unsigned)n;
	return record_text(o, "node", m->node, sizeof(m->node)) ||
	       (m->mark > MARK_REPLACED && m->mark != MARK_CHECK);
}

/* "cancelled (SIGTERM to the whole step)" */
static char *stop_text(const struct node_mark *m)
{
	const char *name = sigabbrev_np(m->signal);
	char time[32], *ret;
	int n;

	if (m->limit_s > 0)
		n = asprintf(&ret, "the job's time limit (%s)",
			     time_text(m->limit_s * 1000, time));
	else if (!m->limit_s)
		n = asprintf(&ret, "the job's time limit");
	else
		n = asprintf(&ret, "cancelled (%s%s to the whole step)",
			     name ? "SIG" : "a signal", name ? name : "");
	return n < 0 ? NULL : ret;
}

static bool get_text(const cJSON *o, struct node_mark *m)
{
	double percent;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts) && !m->text; i++)
		m->text = record_lines(o, texts[i]);
	if (m->mark == MARK_STOPPED) {
		free(m->text);
		m->text = stop_text(m);
	}
	if (!m->text && m->mark == MARK_PROGRESS && !m->last &&
	    record_number(o, "percent", 100, &percent) &&
	    asprintf(&m->text, "rank 0 is at %.3g %%", percent) < 0)
		m->text = NULL;
	if (!m->text)
		m->text = strdup("");
	return m->text;
}

/* That of rank 0 stands for all: they train together. Of those at a round's end
 * the slowest one counts. */
static bool is_shown(const cJSON *o, const struct node_mark *m)
{
	double rank;

	return m->mark != MARK_PROGRESS || m->last ||
	       (record_number(o, "rank", RECORD_RANK_MAX, &rank) && rank == 0);
}

bool marks_add(struct record *r, const cJSON *o)
{
	struct node_mark mark, *to;

	if (!get_mark(o, &mark))
		return false;
	if (!is_shown(o, &mark))
		return true;
	to = array_append(&r->mark, r->nmarks, sizeof(*to));
	if (!to || !get_text(o, &mark))
		return false;
	*to = mark;
	r->nmarks++;
	return true;
}

static int by_time(const void *a, const void *b)
{
	double x = ((const struct node_mark *)a)->at_ms;
	double y = ((const struct node_mark *)b)->at_ms;

	return x < y ? -1 : x > y;
}

/* Nobody could write the end of a process whose node was lost. */
static void end_lives(struct record *r, const struct node_mark *m)
{
	for (size_t i = 0; i < r->n; i++) {
		struct life *l = &r->life[i];

		if (l->round > m->round || l->at_ms[PHASE_ENDED] >= 0 ||
		    strcmp(l->node, m->node) != 0)
			continue;
		l->at_ms[PHASE_ENDED] = m->at_ms;
		l->lost = true;
	}
}

/* Those that the step's signal has ended. */
static void stop_lives(struct record *r, const struct node_mark *m)
{
	for (size_t i = 0; i < r->n; i++) {
		struct life *l = &r->life[i];
		double at = l->at_ms[PHASE_ENDED];

		if (at < 0 || (!l->code && !l->signal))
			continue;
		l->by_step = l->by_step || at >= m->at_ms ||
			     (at >= m->at_ms - EARLIER_MS &&
			      (l->signal == m->signal ||
			       l->code == 128 + m->signal));
	}
}

bool mark_is_excused(const struct node_mark *m, const struct node_mark *stopped)
{
	return stopped && stopped->round == m->round && !*m->text;
}

/* Each launcher may have told of it. */
static void keep_first_stop(struct record *r)
{
	size_t n = 0;
	bool any = false;

	for (size_t i = 0; i < r->nmarks; i++) {
		struct node_mark m = r->mark[i];

		if (m.mark == MARK_STOPPED && any) {
			free(m.text);
			continue;
		}
		any = any || m.mark == MARK_STOPPED;
		r->mark[n++] = m;
	}
	r->nmarks = n;
}

const struct node_mark *record_last(const struct record *r,
				    enum record_mark mark)
{
	for (size_t i = r ? r->nmarks : 0; i-- > 0;)
		if (r->mark[i].mark == mark)
			return &r->mark[i];
	return NULL;
}

void marks_settle(struct record *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->nmarks; i++) {
		struct node_mark m = r->mark[i];

		if (strcmp(m.step, r->step) != 0) {
			free(m.text);
			continue;
		}
		m.at_ms = m.at_ms > r->begin_ms ? m.at_ms - r->begin_ms : 0;
		if (m.at_ms > r->end_ms)
			r->end_ms = m.at_ms;
		r->mark[n++] = m;
	}
	r->nmarks = n;
	if (n)
		qsort(r->mark, n, sizeof(*r->mark), by_time);
	keep_first_stop(r);
	for (size_t i = 0; i < r->nmarks; i++)
		if (r->mark[i].mark == MARK_LOST ||
		    r->mark[i].mark == MARK_CONDEMNED)
			end_lives(r, &r->mark[i]);
		else if (r->mark[i].mark == MARK_STOPPED)
			stop_lives(r, &r->mark[i]);
}
