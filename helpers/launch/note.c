/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/launch/note.h"

#include "core/base/cleanup.h"
#include "core/base/text.h"
#include "helpers/launch/launch.h"
#include "helpers/launch/part.h"
#include "helpers/launch/step.h"
#include "helpers/output/record_members.h"

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
	char name[RECORD_NODE_SIZE];
	cleanup_free char *text = NULL;

	if (!note_is_kept(&l->plan) || !l->view.session)
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
		note_mark(l, l->job.round, mark, node, more);
}

void launch_condemn(struct launch *l, const char *why)
{
	cleanup_free char *more = record_member("why", why);

	if (more)
		note_mark(l, l->job.round, MARK_CONDEMNED, l->job.node_name,
			  more);
	launch_send(l, MSG_CONDEMNED, why);
}

static void begin_round(struct launch *l)
{
	char more[64];

	if (l->job.procid != 0 || l->plan.resolved.recovery)
		return; /* helpers/round/round_note.c tells more */
	snprintf(more, sizeof(more), ",\"nnodes\":%u,\"world_size\":%u",
		 l->plan.nnodes, l->plan.world_size);
	note_mark(l, l->job.round, MARK_ROUND, NULL, more);
}

const struct part note_part = {
	.name = "note",
	.wanted = note_is_kept,
	.round = begin_round,
};
