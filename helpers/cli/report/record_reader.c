/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/report/record_reader.h"

#include "core/base/array.h"
#include "core/facts/roles.h"

#include <cjson/cJSON.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS_MAX 1e12

/* One line, as far as it is needed. */
struct entry {
	double t_ms;
	enum proc_phase event;
	struct life life; /* rank, round, node, role, code, signal */
	char step[64];
};

static bool get_event(const cJSON *o, enum proc_phase *ret)
{
	char name[16];

	return record_text(o, "event", name, sizeof(name)) &&
	       phase_parse(name, ret) == 0;
}

/* Whether the step has ended the process; the second name is schema 1's. */
static bool get_by_step(const cJSON *o)
{
	return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(o, "by_step")) ||
	       cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(o, "by_us"));
}

static void get_more(const cJSON *o, struct record_head *h)
{
	double n;

	*h = (struct record_head){.nnodes = 0};
	record_text(o, "keys", h->keys, sizeof(h->keys));
	record_text(o, "nodes", h->nodes, sizeof(h->nodes));
	record_text(o, "log_dir", h->log_dir, sizeof(h->log_dir));
	if (record_number(o, "nnodes", RECORD_RANK_MAX, &n))
		h->nnodes = (unsigned)n;
	if (record_number(o, "world_size", RECORD_RANK_MAX, &n))
		h->world_size = (unsigned)n;
	if (record_number(o, "spares", RECORD_RANK_MAX, &n))
		h->spares = (unsigned)n;
	record_number(o, "submitted", SECONDS_MAX, &h->submitted);
	record_number(o, "job_start", SECONDS_MAX, &h->job_start);
	h->array_job = h->array_task = RECORD_NEVER;
	record_number(o, "array_job", UINT_MAX, &h->array_job);
	record_number(o, "array_task", UINT_MAX, &h->array_task);
}

/* The line that tells of the step. */
static bool get_head(const cJSON *o, struct record *r)
{
	char event[16], step[sizeof(r->step)];
	double t_ms;

	if (!record_text(o, "event", event, sizeof(event)) ||
	    strcmp(event, "step") != 0)
		return false;
	if (record_number(o, "t_ms", 1e15, &t_ms) &&
	    record_text(o, "step", step, sizeof(step))) {
		memcpy(r->step, step, sizeof(step));
		r->begin_ms = t_ms;
	}
	get_more(o, &r->head);
	record_text(o, "job_name", r->job_name, sizeof(r->job_name));
	record_text(o, "framework", r->framework, sizeof(r->framework));
	record_text(o, "command", r->command, sizeof(r->command));
	return true;
}

static bool get_entry(const cJSON *o, struct entry *e)
{
	double rank, round, value;
	struct life *l = &e->life;

	*e = (struct entry){.t_ms = 0};
	if (!record_number(o, "t_ms", 1e15, &e->t_ms) ||
	    !get_event(o, &e->event) ||
	    !record_number(o, "rank", RECORD_RANK_MAX, &rank) ||
	    !record_number(o, "round", RECORD_RANK_MAX, &round) ||
	    !record_text(o, "step", e->step, sizeof(e->step)) ||
	    !record_text(o, "node", l->node, sizeof(l->node)) ||
	    !record_text(o, "role", l->role, sizeof(l->role)))
		return false;
	l->rank = l->its_rank = (unsigned)rank;
	record_text(o, "world", l->world, sizeof(l->world));
	l->round = (unsigned)round;
	l->code = record_number(o, "code", 255, &value) ? (int)value : 0;
	l->signal = record_number(o, "signal", 255, &value) ? (int)value : 0;
	l->by_step = get_by_step(o);
	return true;
}

/* The entries of a text, each line one; others are counted. The last step's
 * head counts. */
static struct entry *read_entries(const char *text, size_t *ret_n,
				  struct record *r)
{
	struct entry *entry = NULL, *e;
	size_t n = 0, len;

	for (; *text; text += len + (text[len] == '\n')) {
		cJSON *o;

		len = strcspn(text, "\n");
		e = array_append(&entry, n, sizeof(*e));
		if (!e) {
			free(entry);
			return NULL;
		}
		o = cJSON_ParseWithLength(text, len);
		if (get_entry(o, e))
			n++;
		else if (!get_head(o, r) && !marks_add(r, o))
			r->bad += len > 0;
		cJSON_Delete(o);
	}
	*ret_n = n;
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

	if (!n) {
		r->steps = 1;
		return 0;
	}
	memcpy(r->step, e[n - 1].step, sizeof(r->step));
	for (size_t i = 0; i < n; i++)
		r->steps += i == 0 || strcmp(e[i].step, e[i - 1].step) != 0;
	for (size_t i = 0; i < n; i++)
		if (!strcmp(e[i].step, r->step))
			e[kept++] = e[i];
	return kept;
}

static int by_world(const void *a, const void *b)
{
	const struct life *x = &((const struct entry *)a)->life;
	const struct life *y = &((const struct entry *)b)->life;
	int rc = strverscmp(x->world, y->world);

	return rc ? rc : compare(a, b);
}

/* Ranks of several worlds have equal numbers: count them all. */
static void number_ranks(struct entry *e, size_t n)
{
	unsigned rank = 0;

	qsort(e, n, sizeof(*e), by_world);
	for (size_t i = 0; i < n && *e[n - 1].life.world; i++) {
		const struct life *last = i ? &e[i - 1].life : &e[0].life;

		rank += strcmp(last->world, e[i].life.world) != 0 ||
			last->its_rank != e[i].life.its_rank;
		e[i].life.rank = rank;
	}
}

static struct life *new_life(struct record *r, const struct entry *e)
{
	struct life *l = &r->life[r->n++];

	*l = e->life;
	for (int i = 0; i < PHASE_COUNT; i++)
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
	if (e->event == PHASE_ENDED) {
		l->code = e->life.code;
		l->signal = e->life.signal;
		l->by_step = e->life.by_step;
	}
	if (e->t_ms - begin > r->end_ms)
		r->end_ms = e->t_ms - begin;
	if (l->rank >= r->nranks)
		r->nranks = l->rank + 1;
}

/* Ranks count by role; those of roles that we don't know all have 0. */
static void count_roles(struct record *r)
{
	unsigned count[ROLE_COUNT] = {0};

	for (size_t i = 0; i < r->n; i++) {
		struct life *l = &r->life[i];

		if (i && l->rank == l[-1].rank) {
			l->role_index = l[-1].role_index;
			continue;
		}
		for (int role = 0; role < ROLE_COUNT; role++)
			if (!strcmp(l->role, role_name((enum role)role)))
				l->role_index = count[role]++;
	}
}

int record_read(const char *text, struct record *ret, struct err *err)
{
	struct record r = {.n = 0};
	size_t n = 0;
	cleanup_free struct entry *entry = read_entries(text, &n, &r);

	if (!n && !*r.step) {
		record_clear(&r);
		return err_printf(
			err, "the file contains no record of a step; "
			     "the keys timeline=FILE and record write one");
	}
	n = keep_last_step(entry, n, &r);
	r.life = n ? calloc(n, sizeof(*r.life)) : NULL;
	if (n && !r.life) {
		record_clear(&r);
		return err_memory(err);
	}
	if (n)
		r.begin_ms = entry[0].t_ms;
	for (size_t i = 0; i < n; i++)
		if (entry[i].t_ms < r.begin_ms)
			r.begin_ms = entry[i].t_ms;
	if (n)
		number_ranks(entry, n);
	for (size_t i = 0; i < n; i++)
		add_entry(&r, &entry[i], r.begin_ms);
	count_roles(&r);
	marks_settle(&r);
	*ret = r;
	return 0;
}

void record_clear(struct record *r)
{
	for (size_t i = 0; i < r->nmarks; i++)
		free(r->mark[i].text);
	free(r->life);
	free(r->mark);
	*r = (struct record){.n = 0};
}

bool life_phase(const struct record *r, const struct life *l,
		enum proc_phase phase, double *ret_from_ms, double *ret_to_ms)
{
	double from = l->at_ms[phase], to = RECORD_NEVER;

	if (from == RECORD_NEVER || phase == PHASE_ENDED)
		return false;
	for (int e = phase + 1; e < PHASE_COUNT && to == RECORD_NEVER; e++)
		to = l->at_ms[e];
	if (to == RECORD_NEVER)
		to = r->end_ms;
	*ret_from_ms = from;
	*ret_to_ms = to > from ? to : from;
	return true;
}

bool life_failed(const struct life *l)
{
	return l->at_ms[PHASE_ENDED] != RECORD_NEVER && !l->by_step &&
	       !l->lost && (l->code || l->signal);
}

const char *life_name(const struct life *l, char buf[48])
{
	if (*l->world)
		snprintf(buf, 48, "%.36s:%u", l->world, l->its_rank);
	else if (!strcmp(l->role, role_name(ROLE_WORKER)))
		snprintf(buf, 48, "rank %u", l->rank);
	else if (!strcmp(l->role, role_name(ROLE_CHIEF)) ||
		 !strcmp(l->role, role_name(ROLE_EVALUATOR)))
		snprintf(buf, 48, "%s", l->role); /* there is one */
	else
		snprintf(buf, 48, "%s %u", l->role, l->role_index);
	return buf;
}

const char *life_end(const struct life *l, char buf[32])
{
	if (l->at_ms[PHASE_ENDED] == RECORD_NEVER)
		snprintf(buf, 32, "no end in the record");
	else if (l->lost)
		snprintf(buf, 32, "lost with its node");
	else if (l->by_step)
		snprintf(buf, 32, "ended by the step");
	else if (l->signal)
		snprintf(buf, 32, "signal %d", l->signal);
	else
		snprintf(buf, 32, l->code ? "exit code %d" : "ok", l->code);
	return buf;
}
