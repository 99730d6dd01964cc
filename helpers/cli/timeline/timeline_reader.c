/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/timeline/timeline_reader.h"

#include "core/base/cleanup.h"

#include <cjson/cJSON.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define RANK_MAX 10000000

static const char *const event_names[RECORD_EVENTS] = {
	"planned", "exchanged", "started", "output", "ended",
};

/* One line, as far as it is needed. */
struct entry {
	double t_ms;
	enum record_event event;
	struct life life; /* rank, round, node, role, code, signal */
	char step[64];
};

static bool get_number(const cJSON *o, const char *name, double max,
		       double *ret)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(o, name);

	if (!cJSON_IsNumber(item) || item->valuedouble < 0 ||
	    item->valuedouble > max)
		return false;
	*ret = item->valuedouble;
	return true;
}

static bool get_text(const cJSON *o, const char *name, char *buf, size_t size)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(o, name);

	if (!cJSON_IsString(item))
		return false;
	snprintf(buf, size, "%s", item->valuestring);
	return true;
}

static bool get_event(const cJSON *o, enum record_event *ret)
{
	char name[16];

	if (!get_text(o, "event", name, sizeof(name)))
		return false;
	for (int i = 0; i < RECORD_EVENTS; i++)
		if (!strcmp(name, event_names[i])) {
			*ret = (enum record_event)i;
			return true;
		}
	return false;
}

static bool get_entry(const cJSON *o, struct entry *e)
{
	double rank, round, value;
	struct life *l = &e->life;

	*e = (struct entry){.t_ms = 0};
	if (!get_number(o, "t_ms", 1e15, &e->t_ms) ||
	    !get_event(o, &e->event) ||
	    !get_number(o, "rank", RANK_MAX, &rank) ||
	    !get_number(o, "round", RANK_MAX, &round) ||
	    !get_text(o, "step", e->step, sizeof(e->step)) ||
	    !get_text(o, "node", l->node, sizeof(l->node)) ||
	    !get_text(o, "role", l->role, sizeof(l->role)))
		return false;
	l->rank = (unsigned)rank;
	l->round = (unsigned)round;
	l->code = get_number(o, "code", 255, &value) ? (int)value : 0;
	l->signal = get_number(o, "signal", 255, &value) ? (int)value : 0;
	l->by_us = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(o, "by_us"));
	return true;
}

/* The entries of a text, each line one; others are counted. */
static struct entry *read_entries(const char *text, size_t *ret_n,
				  size_t *ret_bad)
{
	struct entry *entry = NULL;
	size_t n = 0, bad = 0, len;

	for (; *text; text += len + (text[len] == '\n')) {
		cJSON *o;

		len = strcspn(text, "\n");
		if (!(n & (n - 1))) {
			size_t room = (n ? 2 * n : 1) * sizeof(*entry);
			void *more = realloc(entry, room);

			if (!more) {
				free(entry);
				return NULL;
			}
			entry = more;
		}
		o = cJSON_ParseWithLength(text, len);
		if (get_entry(o, &entry[n]))
			n++;
		else
			bad += len > 0;
		cJSON_Delete(o);
	}
	*ret_n = n;
	*ret_bad = bad;
	return entry;
}

/* By rank, round and time. */
static int compare(const void *a, const void *b)
{
	const struct life *x = &((const struct entry *)a)->life;
	const struct life *y = &((const struct entry *)b)->life;
	double s = ((const struct entry *)a)->t_ms;
	double t = ((const struct entry *)b)->t_ms;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->round != y->round)
		return x->round < y->round ? -1 : 1;
	return s < t ? -1 : s > t;
}

/* Keep those of the last line's step. */
static size_t keep_last_step(struct entry *e, size_t n, struct record *r)
{
	size_t kept = 0;

	memcpy(r->step, e[n - 1].step, sizeof(r->step));
	for (size_t i = 0; i < n; i++)
		r->steps += i == 0 || strcmp(e[i].step, e[i - 1].step) != 0;
	for (size_t i = 0; i < n; i++)
		if (!strcmp(e[i].step, r->step))
			e[kept++] = e[i];
	return kept;
}

static struct life *new_life(struct record *r, const struct entry *e)
{
	struct life *l = &r->life[r->n++];

	*l = e->life;
	for (int i = 0; i < RECORD_EVENTS; i++)
		l->at_ms[i] = RECORD_NEVER;
	return l;
}

/* The first of each event counts: a process has two streams. */
static void add_entry(struct record *r, const struct entry *e, double begin)
{
	struct life *l = r->n ? &r->life[r->n - 1] : NULL;

	if (!l || l->rank != e->life.rank || l->round != e->life.round)
		l = new_life(r, e);
	if (l->at_ms[e->event] == RECORD_NEVER)
		l->at_ms[e->event] = e->t_ms - begin;
	if (e->event == RECORD_ENDED) {
		l->code = e->life.code;
		l->signal = e->life.signal;
		l->by_us = e->life.by_us;
	}
	if (e->t_ms - begin > r->end_ms)
		r->end_ms = e->t_ms - begin;
	if (l->rank >= r->nranks)
		r->nranks = l->rank + 1;
}

int record_read(const char *text, struct record *ret, struct err *err)
{
	struct record r = {.n = 0};
	size_t n = 0;
	cleanup_free struct entry *entry = read_entries(text, &n, &r.bad);
	double begin;

	if (!n)
		return err_printf(err, "the file contains no record of a step; "
				       "the key timeline=FILE writes one");
	n = keep_last_step(entry, n, &r);
	r.life = calloc(n, sizeof(*r.life));
	if (!r.life)
		return err_memory(err);
	begin = entry[0].t_ms;
	for (size_t i = 0; i < n; i++)
		if (entry[i].t_ms < begin)
			begin = entry[i].t_ms;
	qsort(entry, n, sizeof(*entry), compare);
	for (size_t i = 0; i < n; i++)
		add_entry(&r, &entry[i], begin);
	*ret = r;
	return 0;
}

void record_clear(struct record *r)
{
	free(r->life);
	*r = (struct record){.n = 0};
}

bool life_failed(const struct life *l)
{
	return l->at_ms[RECORD_ENDED] != RECORD_NEVER && !l->by_us &&
	       (l->code || l->signal);
}

const struct life *record_first_failure(const struct record *r)
{
	const struct life *first = NULL;

	for (size_t i = 0; i < r->n; i++)
		if (life_failed(&r->life[i]) &&
		    (!first || r->life[i].at_ms[RECORD_ENDED] <
				       first->at_ms[RECORD_ENDED]))
			first = &r->life[i];
	return first;
}

const struct life *record_last(const struct record *r, enum record_event event)
{
	const struct life *last = NULL;

	for (size_t i = 0; i < r->n; i++)
		if (r->life[i].at_ms[event] != RECORD_NEVER &&
		    (!last || r->life[i].at_ms[event] > last->at_ms[event]))
			last = &r->life[i];
	return last;
}
