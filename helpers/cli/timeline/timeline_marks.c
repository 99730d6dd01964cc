/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/timeline/timeline_reader.h"

#include "core/base/utf8.h"

#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool record_number(const cJSON *o, const char *name, double max, double *ret)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(o, name);

	if (!cJSON_IsNumber(item) || item->valuedouble < 0 ||
	    item->valuedouble > max)
		return false;
	*ret = item->valuedouble;
	return true;
}

bool record_text(const cJSON *o, const char *name, char *buf, size_t size)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(o, name);
	size_t n;

	if (!cJSON_IsString(item))
		return false;
	snprintf(buf, size, "%s", item->valuestring);
	for (; *buf; buf += n ? n : 1) {
		n = utf8_char(buf, SIZE_MAX);
		if (!n || (unsigned char)*buf < 0x20 || *buf == 0x7f ||
		    ((unsigned char)*buf == 0xc2 &&
		     (unsigned char)buf[1] < 0xa0))
			memset(buf, '?', n ? n : 1);
	}
	return true;
}

static bool get_mark(const cJSON *o, struct node_mark *m)
{
	char event[16];
	double round;

	*m = (struct node_mark){.at_ms = 0};
	if (!record_text(o, "event", event, sizeof(event)) ||
	    mark_parse(event, &m->mark) < 0 ||
	    !record_number(o, "t_ms", 1e15, &m->at_ms) ||
	    !record_number(o, "round", RECORD_RANK_MAX, &round) ||
	    !record_text(o, "step", m->step, sizeof(m->step)))
		return false;
	m->round = (unsigned)round;
	record_text(o, "by", m->by, sizeof(m->by));
	if (!record_text(o, "why", m->text, sizeof(m->text)))
		record_text(o, "found", m->text, sizeof(m->text));
	return record_text(o, "node", m->node, sizeof(m->node)) ||
	       m->mark == MARK_ROUND;
}

/* That of rank 0 stands for all: they train together. */
static bool is_shown(const cJSON *o, struct node_mark *m)
{
	double rank, percent;

	if (m->mark != MARK_PROGRESS)
		return true;
	if (!record_number(o, "rank", RECORD_RANK_MAX, &rank) || rank > 0 ||
	    !record_number(o, "percent", 100, &percent))
		return false;
	snprintf(m->text, sizeof(m->text), "rank 0 is at %.3g %%", percent);
	return true;
}

bool marks_add(struct record *r, const cJSON *o)
{
	size_t n = r->nmarks;
	struct node_mark mark;

	if (!get_mark(o, &mark))
		return false;
	if (!is_shown(o, &mark))
		return true;
	if (!(n & (n - 1))) {
		void *more = realloc(r->mark, (n ? 2 * n : 1) * sizeof(mark));

		if (!more)
			return false;
		r->mark = more;
	}
	r->mark[r->nmarks++] = mark;
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

void marks_settle(struct record *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->nmarks; i++) {
		struct node_mark m = r->mark[i];

		if (strcmp(m.step, r->step) != 0)
			continue;
		m.at_ms = m.at_ms > r->begin_ms ? m.at_ms - r->begin_ms : 0;
		if (m.at_ms > r->end_ms)
			r->end_ms = m.at_ms;
		r->mark[n++] = m;
	}
	r->nmarks = n;
	if (n)
		qsort(r->mark, n, sizeof(*r->mark), by_time);
	for (size_t i = 0; i < n; i++)
		if (r->mark[i].mark == MARK_LOST ||
		    r->mark[i].mark == MARK_CONDEMNED)
			end_lives(r, &r->mark[i]);
}
