/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/groups_json.h"
#include "helpers/cli/report/why_now.h"

static void put_mark(struct json *j, const struct node_mark *m)
{
	char line[MARK_LINE_SIZE];

	json_add(
		j,
		"event:%s at_s:%f round:%u world?:%s state?:%s node?:%s by?:%s "
		"exit_code?:%d text?:%s line?:%s",
		mark_word(m->mark), m->at_ms / 1000, m->round, m->world,
		m->state, m->node, m->by, m->code, m->text, mark_line(m, line));
}

static void put_record(struct json *j, const struct why *w)
{
	const struct record *r = w->record;
	const struct record_head *h = &r->head;

	json_add(j,
		 "step:%s job_name:%s framework:%s program:%s "
		 "keys:%s nodes:%s nnodes:%u world_size:%u "
		 "spares:%u log_dir:%s code?:%s begin:%f duration_s:%f "
		 "exit_code?:%d stopped_by?:%s failures:%u",
		 r->step, r->job_name, r->framework, r->command, h->keys,
		 h->nodes, h->nnodes, h->world_size, h->spares, h->log_dir,
		 w->code ? w->code->text : NULL, r->begin_ms / 1000,
		 r->end_ms / 1000, w->end ? w->end->code : -1,
		 !w->stopped		   ? NULL
		 : w->stopped->limit_s < 0 ? "signal"
					   : "time-limit",
		 w->nfailures);
	if (w->failure) {
		json_add(j, "first_failure:{");
		put_mark(j, w->failure);
		json_add(j, "report?:%s followed?:%s}",
			 w->report ? w->report->text : NULL,
			 w->decided ? w->decided->text : NULL);
	}
	json_add(j, "events:[");
	for (size_t i = 0; i < r->nmarks; i++) {
		json_add(j, "{");
		put_mark(j, &r->mark[i]);
		json_add(j, "}");
	}
	json_add(j, "]");
}

static void put_now(struct json *j, const struct why_now *now)
{
	json_add(j, "now:{answers:%i", now->answers);
	if (!now->answers)
		json_add(j, "text:%s", now->silence);
	else
		json_add(j, "ranks:%u nodes:%u oldest_s:%g", now->nranks,
			 now->nodes.n, now->oldest_s);
	if (now->answers && now->stacks)
		json_groups(j, now->group, now->ngroups);
	else if (now->answers)
		json_add(j, "text:%s", now->unseen);
	json_add(j, "}");
}

void why_json(struct json *j, const struct why *w)
{
	if (w->record)
		put_record(j, w);
	json_add(j, "ended:%i", why_has_ended(w));
	if (w->now->running)
		put_now(j, w->now);
	json_add(j, "slurm_state?:%s record:%s", w->now->state,
		 w->record ? w->path : NULL);
}
