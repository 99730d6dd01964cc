/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/report/why_now.h"

#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

/* A failure of that round has come before, or is more than what follows. */
static void read_failure(struct why *w, const struct node_mark *m)
{
	if (mark_is_excused(m, w->stopped))
		return;
	w->stopped = NULL;
	w->failure = m;
	w->nfailures++;
}

/* Of the world of which that was decided: the last before it. */
static const struct node_mark *last_of_world(const struct why *w,
					     enum record_mark mark)
{
	for (const struct node_mark *m = w->decided; m-- > w->record->mark;)
		if (m->mark == mark && !strcmp(m->world, w->decided->world))
			return m;
	return NULL;
}

/* Which of several worlds has failed is known by what was decided. */
static void read_worlds(struct why *w)
{
	const struct node_mark *failure;

	if (!w->decided)
		return;
	failure = last_of_world(w, MARK_FAILURE);
	w->failure = failure ? failure : w->decided;
	w->report = last_of_world(w, MARK_REPORT);
}

void why_read(struct why *w)
{
	const struct record *r = w->record;

	for (size_t i = 0; r && i < r->nmarks; i++) {
		const struct node_mark *m = &r->mark[i];

		switch (m->mark) {
		case MARK_END:
			w->end = m;
			break;
		case MARK_WORLD:
			if (!strcmp(m->state, "failed"))
				w->decided = m;
			break;
		case MARK_FAILURE:
			read_failure(w, m);
			break;
		case MARK_STOPPED:
			if (!w->failure || w->failure->round != m->round)
				w->stopped = m;
			break;
		case MARK_REPORT:
			w->report = m;
			break;
		case MARK_HANG:
			w->hang = m;
			break;
		case MARK_STACKS:
			w->stacks = m;
			break;
		case MARK_CODE:
			w->code = m;
			break;
		default:
			break;
		}
	}
	if (w->report && w->failure && w->report->round != w->failure->round)
		w->report = NULL;
	read_worlds(w);
}

bool why_has_ended(const struct why *w)
{
	return w->end || !w->now->running;
}

/* --- the head --- */

static void put_size(FILE *f, const struct record *r)
{
	const struct record_head *h = &r->head;
	char text[400];

	if (!h->world_size)
		return;
	snprintf(text, sizeof(text), "%u process%s on %u node%s", h->world_size,
		 h->world_size == 1 ? "" : "es", h->nnodes,
		 h->nnodes == 1 ? "" : "s");
	if (h->spares)
		text_add(text, sizeof(text), ", ", "%u spare%s", h->spares,
			 h->spares == 1 ? "" : "s");
	if (*h->nodes)
		text_add(text, sizeof(text), ": ", "%s", h->nodes);
	record_put(f, "size", text);
}

static void put_end(FILE *f, const struct why *w)
{
	char text[300] = "", time[32];

	if (w->stopped)
		text_add(text, sizeof(text), "", "%s", w->stopped->text);
	if (w->end)
		text_add(text, sizeof(text), ": ", "exit code %d after %s",
			 w->end->code, time_text(w->end->at_ms, time));
	else if (w->stopped)
		text_add(text, sizeof(text), "", " after %s",
			 time_text(w->stopped->at_ms, time));
	else if (w->now->running)
		snprintf(text, sizeof(text), "it still runs");
	else
		snprintf(
			text, sizeof(text),
			"not in the record, whose last line is of %s after its "
			"begin: its launcher was killed, or its node was lost",
			time_text(w->record->end_ms, time));
	record_put(f, "end", text);
	record_put(f, "Slurm", w->now->state);
}

static void put_now(FILE *f, const struct why *w)
{
	const struct why_now *now = w->now;
	char time[32], text[700];

	if (w->end || !now->running)
		return;
	if (!now->answers)
		snprintf(text, sizeof(text), "%s", now->silence);
	else
		snprintf(text, sizeof(text),
			 "%u rank%s on %u node%s answer, the oldest for %s",
			 now->nranks, now->nranks == 1 ? "" : "s", now->nodes.n,
			 now->nodes.n == 1 ? "" : "s",
			 time_text(now->oldest_s * 1000, time));
	record_put(f, "now", text);
}

static void put_head(FILE *f, const struct why *w)
{
	const struct record *r = w->record;
	char text[40];

	record_put(f, "step", r->step);
	record_put(f, "job", r->job_name);
	record_put(f, "framework", r->framework);
	record_put(f, "program", r->command);
	record_put(f, "code", w->code ? w->code->text : "");
	record_put(f, "keys", r->head.keys);
	put_size(f, r);
	record_put(f, "began", utc_text(r->begin_ms, text));
	put_end(f, w);
	put_now(f, w);
	record_put(f, "logs", r->head.log_dir);
	record_put(f, "record", w->path);
}

/* --- what failed --- */

/* Each line, further in. */
static void put_lines(FILE *f, const char *text)
{
	while (*text) {
		size_t n;

		text = text_unnamed(text);
		n = strcspn(text, "\n");
		fprintf(f, "  %.*s\n", (int)n, text);
		text += n + (text[n] == '\n');
	}
}

static void put_failure(FILE *f, const struct why *w)
{
	const struct node_mark *m = w->failure;
	char time[32], round[32] = "";

	if (!m)
		return;
	if (m->round)
		snprintf(round, sizeof(round), ", in round %u", m->round);
	fprintf(f, "\nfirst failure, %s after the begin%s:\n",
		time_text(m->at_ms, time), round);
	if (w->report)
		put_lines(f, w->report->text);
	else if (*m->text)
		put_lines(f, m->text);
	else
		fprintf(f, "  a process on %s, exit code %d\n", m->node,
			m->code);
	if (w->decided && w->decided != m)
		put_lines(f, w->decided->text);
}

static void put_hang(FILE *f, const struct why *w)
{
	char time[32];

	if (!w->hang)
		return;
	fprintf(f, "\nhang, %s after the begin:\n",
		time_text(w->hang->at_ms, time));
	put_lines(f, w->hang->text);
	if (w->stacks)
		fprintf(f, "  stacks in %s\n", w->stacks->text);
}

static void put_stacks(FILE *f, const struct why_now *now)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	for (unsigned i = 0; to && i < now->ngroups; i++)
		stacks_print_group(to, now->stacks, &now->group[i], false);
	if (to)
		stacks_print_notes(to, now->stacks);
	if (to && fclose(to) == 0)
		put_lines(f, text);
	free(text);
}

static void put_ranks(FILE *f, const struct why *w)
{
	const struct why_now *now = w->now;

	if (w->end || !now->answers)
		return;
	fputs("\nwhere its ranks are:\n", f);
	if (now->stacks)
		put_stacks(f, now);
	else
		fprintf(f, "  not known: %s\n", now->unseen);
}

static void put_without_record(FILE *f, const struct why *w)
{
	char step[64];

	snprintf(step, sizeof(step), "%lu.%lu", w->now->step.job_id,
		 w->now->step.step_id);
	record_put(f, "step", step);
	record_put(f, "end", "it still runs");
	put_now(f, w);
	fprintf(f,
		"%-10s none in %s; the key record=DIR says where one is "
		"kept, --record DIR where to look\n",
		"record", w->path);
	put_ranks(f, w);
}

void why_page(FILE *f, const struct why *w)
{
	if (!w->record) {
		put_without_record(f, w);
		return;
	}
	put_head(f, w);
	put_ranks(f, w);
	put_failure(f, w);
	put_hang(f, w);
	record_happened(f, w->record);
}
