/* SPDX-License-Identifier: Apache-2.0 */

#include "core/base/parse.h"
#include "helpers/conn/loss_lines.h"
#include "helpers/lead/lead_state.h"

#include <string.h>

/* That the controller outlives srun by: launchers need five seconds from
 * SIGTERM to SIGKILL. */
#define OUTLIVES_MS 8000

/* Whoever hasn't left by now isn't waited for: nothing of the step's is to stay
 * on srun's host. */
static void on_no_srun(void *arg)
{
	const struct lead *lead = arg;

	lead->o.over(lead->o.arg);
}

static void on_srun_gone(void *arg)
{
	struct lead *lead = arg;

	arbiter_stop(server_arbiter(lead->server),
		     "dist-train: srun has ended\n", GONE_CODE, 0);
	server_wait_no_more(lead->server);
	loop_arm(lead->o.loop, &lead->no_srun, OUTLIVES_MS);
}

static void on_end_time(void *arg, int64_t seconds)
{
	struct lead *lead = arg;

	if (lead->o.end_time)
		lead->o.end_time(lead->o.arg, seconds);
}

void lead_watch_srun(struct lead *lead)
{
	lead->srun = (struct srun_watch){
		.end_time = on_end_time,
		.gone = on_srun_gone,
		.arg = lead,
	};
	lead->no_srun = (struct loop_timer){.expired = on_no_srun, .arg = lead};
	if (lead->o.srun_fd)
		srun_watch_open(&lead->srun, lead->o.loop, lead->o.srun_fd);
}

void lead_told_by_slurm(struct lead *lead)
{
	if (!lead->told_by_slurm)
		srun_watch_tell(&lead->srun, SRUN_TOLD, 1);
	lead->told_by_slurm = true;
}

void lead_outcome(struct lead *lead, unsigned bits)
{
	char text[] = {*SRUN_OUTCOME, 0};

	lead->outcome |= (unsigned char)bits;
	text[1] = (char)lead->outcome;
	srun_watch_tell(&lead->srun, text, sizeof(text));
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

/* With recovery a loss that was made good is no reason any more. */
static bool wants_requeue(const struct lead *lead)
{
	const struct arbiter *arbiter = server_arbiter(lead->server);

	if (lead->roster)
		return arbiter_requeues(arbiter);
	return arbiter_loss(arbiter) == LOSS_NODE &&
	       lead->o.plan->resolved.requeue;
}

static const char *last_word(const struct lead *lead, const char *code,
			     enum arbiter_loss loss)
{
	if (loss == LOSS_NONE && !lead->silent)
		return SRUN_ALL_WELL;
	if (loss != LOSS_NONE && !strcmp(code, "0"))
		return SRUN_LEFT_WELL;
	if (wants_requeue(lead))
		return SRUN_REQUEUE;
	return loss <= LOSS_LAUNCHER ? SRUN_MAY_HANG : SRUN_WILL_HANG;
}

void lead_tell_srun(struct lead *lead, const char *code)
{
	enum arbiter_loss loss = arbiter_loss(server_arbiter(lead->server));

	lead_outcome(lead, outcome_of(code, loss));
	srun_watch_tell(&lead->srun, last_word(lead, code, loss), 1);
}

void lead_srun_close(struct lead *lead)
{
	srun_watch_close(&lead->srun);
	loop_disarm(lead->o.loop, &lead->no_srun);
}
