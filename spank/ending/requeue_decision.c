/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/ending/job_end.h"

#include <stdio.h>

/* Slurm ends a job when its time is over or later; clocks differ a little. */
#define CLOCKS_S 2

bool requeue_is_needless(const struct srun_heard *heard, bool node_lost)
{
	return heard->has_outcome && !heard->outcome && !heard->told &&
	       !node_lost;
}

/* The ranks have been told of it, or would have been. */
static bool is_end_near(const struct requeue_case *c)
{
	return c->life.end && c->now + c->lead_s + CLOCKS_S >= c->life.end;
}

static bool is_time_over(const struct requeue_case *c)
{
	if (c->life.fate == FATE_TIMEOUT || c->still_runs)
		return true;
	if (c->heard.told || !c->heard.has_outcome)
		return is_end_near(c);
	return c->heard.outcome & OUTCOME_SIGNALLED;
}

/* Why the step has ended, of those for which a job may be requeued; 0: none of
 * them. */
static unsigned cause_of(const struct requeue_case *c)
{
	const struct job_life *life = &c->life;

	if (requeue_is_needless(&c->heard, c->node_lost) && !c->still_runs)
		return 0;
	if (life->fate == FATE_PREEMPTED || life->preempted)
		return REQUEUE_PREEMPTION;
	if (life->fate == FATE_NODE_FAIL || c->node_lost ||
	    c->heard.outcome & OUTCOME_NODE_LOST)
		return REQUEUE_NODE_LOSS;
	if (is_time_over(c))
		return REQUEUE_TIME_LIMIT;
	if (c->heard.told) /* by scancel --signal, or of a step */
		return 0;
	return c->heard.outcome & OUTCOME_FAILED ? REQUEUE_FAILURE : 0;
}

static const char *words_of(unsigned cause)
{
	switch (cause) {
	case REQUEUE_TIME_LIMIT:
		return "its time limit";
	case REQUEUE_PREEMPTION:
		return "it is preempted";
	case REQUEUE_NODE_LOSS:
		return "a node is lost";
	case REQUEUE_FAILURE:
		return "the step has failed";
	default:
		return "it was cancelled";
	}
}

/* Writes why not, and returns true; false: nothing is against it. */
static bool is_against(const struct requeue_case *c, unsigned cause, char *line,
		       size_t size)
{
	if (c->life.fate == FATE_CANCELLED || !cause)
		snprintf(line, size, "job %s isn't requeued: it was cancelled",
			 c->job);
	else if (c->heard.outcome & OUTCOME_NEVER)
		snprintf(line, size,
			 "job %s isn't requeued: a process has ended with exit "
			 "code %d, which asks for that",
			 c->job, REQUEUE_NEVER_CODE);
	else if (!(c->causes & cause))
		snprintf(line, size,
			 "job %s isn't requeued: %s, and requeue= doesn't have "
			 "%s",
			 c->job, words_of(cause), requeue_word(cause));
	else if (c->life.restarts >= c->most)
		snprintf(line, size,
			 "job %s isn't requeued: it has been as often as "
			 "requeues=%u allows",
			 c->job, c->most);
	else if (c->progress_file && c->idle_lives >= REQUEUE_IDLE_LIVES)
		snprintf(line, size,
			 "job %s isn't requeued: %u runs have ended without "
			 "progress (progress-file=%s: %s)",
			 c->job, c->idle_lives, c->progress_file, c->progress);
	else
		return false;
	return true;
}

bool requeue_decide(const struct requeue_case *c, char *line, size_t size)
{
	unsigned cause = cause_of(c);
	bool idle = c->progress_file && c->idle_lives;

	*line = '\0';
	if (!cause && !c->heard.told && c->life.fate != FATE_CANCELLED)
		return false;
	if (c->life.fate == FATE_REQUEUED) {
		snprintf(line, size, "job %s has been requeued already",
			 c->job);
		return false;
	}
	if (is_against(c, cause, line, size))
		return false;
	snprintf(line, size,
		 "job %s is requeued: %s%s%s%s%s (%s, %u of at most %u)%s",
		 c->job, words_of(cause),
		 c->still_runs ? ", and the step still runs" : "",
		 idle ? "; no progress (" : "", idle ? c->progress : "",
		 idle ? ")" : "", requeue_word(cause), c->life.restarts + 1,
		 c->most,
		 c->life.expedite && cause == REQUEUE_NODE_LOSS
			 ? "; Slurm starts it when that node answers or is "
			   "given up (SlurmdTimeout)"
			 : "");
	return true;
}
