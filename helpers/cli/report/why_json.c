/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/groups_json.h"
#include "helpers/cli/report/why_now.h"

static bool add_mark(cJSON *o, const struct node_mark *m)
{
	char line[MARK_LINE_SIZE];

	return o && json_add_text(o, "event", mark_word(m->mark)) &&
	       json_add_ms(o, "at_s", m->at_ms) &&
	       json_add_number(o, "round", m->round) &&
	       (!*m->node || json_add_text(o, "node", m->node)) &&
	       (!*m->by || json_add_text(o, "by", m->by)) &&
	       (m->code < 0 || json_add_number(o, "exit_code", m->code)) &&
	       (!*m->text || json_add_text(o, "text", m->text)) &&
	       (!*mark_line(m, line) || json_add_text(o, "line", line));
}

static bool add_failure(cJSON *to, const struct why *w)
{
	const struct node_mark *m = w->failure;
	cJSON *o;

	if (!m)
		return true;
	o = cJSON_AddObjectToObject(to, "first_failure");
	return add_mark(o, m) &&
	       (!w->report || json_add_text(o, "report", w->report->text));
}

static bool add_events(cJSON *to, const struct record *r)
{
	cJSON *array = cJSON_AddArrayToObject(to, "events");

	for (size_t i = 0; array && i < r->nmarks; i++)
		if (!add_mark(json_append(array), &r->mark[i]))
			return false;
	return array;
}

static bool add_record(cJSON *o, const struct why *w)
{
	const struct record *r = w->record;
	const struct record_head *h = &r->head;

	return json_add_text(o, "step", r->step) &&
	       json_add_text(o, "job_name", r->job_name) &&
	       json_add_text(o, "framework", r->framework) &&
	       json_add_text(o, "program", r->command) &&
	       json_add_text(o, "keys", h->keys) &&
	       json_add_text(o, "nodes", h->nodes) &&
	       json_add_number(o, "nnodes", h->nnodes) &&
	       json_add_number(o, "world_size", h->world_size) &&
	       json_add_number(o, "spares", h->spares) &&
	       json_add_text(o, "log_dir", h->log_dir) &&
	       json_add_ms(o, "begin", r->begin_ms) &&
	       json_add_ms(o, "duration_s", r->end_ms) &&
	       (!w->end || json_add_number(o, "exit_code", w->end->code)) &&
	       (!w->stopped ||
		json_add_text(o, "stopped_by",
			      w->stopped->limit_s < 0 ? "signal"
						      : "time-limit")) &&
	       json_add_number(o, "failures", w->nfailures) &&
	       add_failure(o, w) && add_events(o, r);
}

static bool add_now(cJSON *to, const struct why_now *now)
{
	cJSON *o;

	if (!now->running)
		return true;
	o = cJSON_AddObjectToObject(to, "now");
	if (!o || !cJSON_AddBoolToObject(o, "answers", now->answers))
		return false;
	if (!now->answers)
		return json_add_text(o, "text", now->silence);
	return json_add_number(o, "ranks", now->nranks) &&
	       json_add_number(o, "nodes", now->nodes.n) &&
	       json_add_number(o, "oldest_s", now->oldest_s) &&
	       (now->stacks ? json_add_groups(o, now->group, now->ngroups)
			    : json_add_text(o, "text", now->unseen));
}

bool why_json(cJSON *o, const struct why *w)
{
	return o && (!w->record || add_record(o, w)) &&
	       cJSON_AddBoolToObject(o, "ended", why_has_ended(w)) &&
	       add_now(o, w->now) &&
	       (!*w->now->state ||
		json_add_text(o, "slurm_state", w->now->state)) &&
	       json_add_text(o, "record", w->record ? w->path : NULL);
}
