/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/part/note.h"

#include "helpers/output/line_writer.h"
#include "helpers/output/timeline.h"
#include "helpers/part/launch_tell.h"
#include "helpers/part/launch_view.h"

#include <stdio.h>
#include <stdlib.h>

bool note_is_kept(const struct plan *plan)
{
	return request_word(plan->request, KEY_RECORD) != RECORD_OFF ||
	       request_text(plan->request, KEY_TIMELINE);
}

void note_mark(struct launch *l, unsigned round, enum record_mark mark,
	       const char *node, const char *more)
{
	const struct launch_view *v = launch_view(l);
	char name[RECORD_NODE_SIZE];
	cleanup_free char *text = NULL;

	if (!note_is_kept(v->plan) || !v->session)
		return;
	record_node(node && *node ? node : "-", name);
	if (asprintf(&text, "%u %s %s %s", round, name, mark_word(mark),
		     more) >= 0)
		launch_send(l, MSG_NOTE, text);
}

void note_text(struct launch *l, enum record_mark mark, const char *node,
	       const char *text)
{
	cleanup_free char *more = record_member("text", text);

	if (more)
		note_mark(l, launch_view(l)->job->round, mark, node, more);
}

void launch_condemn(struct launch *l, const char *why)
{
	const struct job *job = launch_view(l)->job;
	cleanup_free char *more = record_member("why", why);

	if (more)
		note_mark(l, job->round, MARK_CONDEMNED, job->node_name, more);
	launch_send(l, MSG_CONDEMNED, why);
}
