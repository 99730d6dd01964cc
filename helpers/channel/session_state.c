/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/channel/session_state.h"

#include "core/plan/plan.h"

#include <limits.h>
#include <unistd.h>

unsigned session_port(const void *arg, unsigned try)
{
	const struct session *t = arg;
	const struct port_range range =
		plan_other_ports(t->o.plan, t->o.config);

	return port_of_launchers(t->job->job_id, t->job->step_id,
				 t->job->restart, &range, try);
}

/* ROUND ...: what has been said in the one before doesn't count. */
static void note_round(struct session *t, const char *data)
{
	long round;

	if (message_number(&data, 0, INT_MAX, &round) < 0 || round == t->round)
		return;
	t->round = (unsigned)round;
	*t->failed = *t->ended = '\0';
}

void session_message(void *arg, char type, const char *data, size_t n)
{
	struct session *t = arg;

	if (type == MSG_ROUND)
		note_round(t, data);
	if (type == MSG_GO || type == MSG_ROUND || type == MSG_END) {
		t->ending = type == MSG_END;
		loop_disarm(t->o.loop, &t->unanswered);
	}
	if (type == MSG_LEAVE)
		t->left = true;
	t->o.message(t->o.arg, type, data, n);
}

bool session_may_answer(struct session *t)
{
	t->owes_answer = t->o.in_doubt && t->o.in_doubt(t->o.arg);
	return !t->owes_answer;
}

void session_let_go_of_port(struct session *t)
{
	if (t->listen_fd > 0)
		close(t->listen_fd);
	t->listen_fd = 0;
}
