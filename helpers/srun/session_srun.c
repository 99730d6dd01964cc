/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/srun/session_srun.h"

#include "core/base/parse.h"
#include "core/option/requeue.h"
#include "helpers/arbiter/arbiter_lines.h"
#include "helpers/channel/session_state.h"

#include <stdlib.h>
#include <string.h>

/* That the controller outlives srun by: launchers need five seconds from
 * SIGTERM to SIGKILL. */
#define OUTLIVES_MS 8000

/* Whoever hasn't left by now isn't waited for: nothing of the step's is to stay
 * on srun's host. */
static void on_no_srun(void *arg)
{
	const struct session *t = arg;

	t->o.over(t->o.arg);
}

static void on_srun_gone(void *arg)
{
	struct session *t = arg;

	arbiter_stop(server_arbiter(t->server), LINE_SRUN_GONE, GONE_CODE, 0);
	server_wait_no_more(t->server);
	loop_arm(t->o.loop, &t->no_srun, OUTLIVES_MS);
}

static void on_end_time(void *arg, int64_t seconds)
{
	struct session *t = arg;

	if (t->o.end_time)
		t->o.end_time(t->o.arg, seconds);
}

void session_watch_srun(struct session *t)
{
	t->srun = (struct srun_watch){
		.end_time = on_end_time,
		.gone = on_srun_gone,
		.arg = t,
	};
	t->no_srun = (struct loop_timer){.expired = on_no_srun, .arg = t};
	if (t->o.srun_fd)
		srun_watch_open(&t->srun, t->o.loop, t->o.srun_fd);
}

static void say_outcome(struct session *t)
{
	char text[] = {*SRUN_OUTCOME, (char)t->outcome};

	srun_watch_tell(&t->srun, text, sizeof(text));
}

void session_srun_told(struct session *t, bool leads)
{
	if (leads && !t->told_by_slurm)
		srun_watch_tell(&t->srun, SRUN_TOLD, 1);
	t->told_by_slurm = true;
}

void session_srun_outcome(struct session *t, unsigned bits, bool leads)
{
	t->outcome |= (unsigned char)bits;
	if (leads)
		say_outcome(t);
}

/* What the step's exit code says of that. */
static unsigned char outcome_of(const char *code, enum arbiter_loss loss)
{
	long n;

	if (loss == LOSS_NODE)
		return OUTCOME_NODE_LOST;
	if (loss != LOSS_NONE || parse_number(code, 1, 255, &n) < 0)
		return 0;
	return OUTCOME_FAILED | (n == REQUEUE_NEVER_CODE ? OUTCOME_NEVER : 0);
}

/* A line that came about late hasn't heard what was said before. */
static void last_to_srun(struct session *t, const char *word, const char *code,
			 enum arbiter_loss loss)
{
	if (t->told_by_slurm)
		srun_watch_tell(&t->srun, SRUN_TOLD, 1);
	t->outcome |= outcome_of(code, loss);
	say_outcome(t);
	srun_watch_tell(&t->srun, word, 1);
}

/* With recovery a loss that was made good is no reason any more. */
static bool wants_requeue(const struct session *t)
{
	const struct arbiter *arbiter = server_arbiter(t->server);

	if (t->lead)
		return arbiter_requeues(arbiter);
	return arbiter_loss(arbiter) == LOSS_NODE &&
	       t->o.plan->resolved.requeue;
}

static const char *last_word(const struct session *t, const char *code,
			     enum arbiter_loss loss)
{
	if (loss == LOSS_NONE && !t->silent)
		return SRUN_ALL_WELL;
	if (loss != LOSS_NONE && !strcmp(code, "0"))
		return SRUN_LEFT_WELL;
	if (wants_requeue(t))
		return SRUN_REQUEUE;
	return loss <= LOSS_LAUNCHER ? SRUN_MAY_HANG : SRUN_WILL_HANG;
}

void session_tell_srun(struct session *t, const char *code)
{
	enum arbiter_loss loss = arbiter_loss(server_arbiter(t->server));

	last_to_srun(t, last_word(t, code, loss), code, loss);
}
