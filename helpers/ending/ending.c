/* SPDX-License-Identifier: Apache-2.0 */
/* Where the arbiter is: when all are to tell their ranks, and what came of it.
 */
#include "helpers/ending/ending_state.h"

#include "core/base/cleanup.h"
#include "core/base/parse.h"
#include "core/base/text.h"
#include "core/facts/rows.h"
#include "helpers/launch/note.h"
#include "helpers/launch/part.h"
#include "helpers/launch/step.h"
#include "helpers/look/look.h"
#include "sys/epoch.h"
#include "sys/left_signals.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ANSWER_MS 5000 /* for all launchers */
#define LINE_SIZE 512

/* A launcher that isn't asked, since it came when all others were, or the one
 * that should ask is lost, tells its ranks itself. Clocks may differ by less.
 */
#define UNASKED_MS 10000

/* Longer than the loop's timers are armed for; it is looked at again then. */
#define DAY_MS 86400000

/* --- what came of it --- */

static void on_seen(void *arg, unsigned member, const char *node,
		    const char *rows)
{
	struct ending *e = arg;
	cleanup_free char *text = strdup(rows);
	char *field[ROW_FIELDS], *at = text;

	(void)member;
	(void)node;
	while (text && row_next(&at, field)) {
		if (!strcmp(field[0], "told")) {
			e->ntold++;
		} else if (!strcmp(field[0], "deaf")) {
			if (e->ndeaf++ < DEAF_SHOWN)
				text_add(e->deaf, sizeof(e->deaf), ", ", "%s",
					 field[1]);
		}
	}
}

/* "the job ends at 18:00:00: 8 ranks got SIGUSR1 ..." */
static void on_done(void *arg)
{
	struct ending *e = arg;
	const char *name = end_signal_name(e->signal.number);
	char line[LINE_SIZE] = "", more[32] = "";

	if (e->ndeaf > DEAF_SHOWN)
		snprintf(more, sizeof(more), ", ...");
	text_add(line, sizeof(line), "", "dist-train: %s: ", e->why);
	text_add(line, sizeof(line), "", "%u rank%s got SIG%s", e->ntold,
		 e->ntold == 1 ? "" : "s", name);
	if (e->ndeaf)
		text_add(line, sizeof(line), "",
			 "; %u without a handler for it didn't (rank %s%s): "
			 "they can look for the file " STOP_FILE_VARIABLE,
			 e->ndeaf, e->deaf, more);
	text_add(line, sizeof(line), "", "\n");
	launch_say(e->v->launch, line);
	note_text(e->v->launch, MARK_SIGNALLED, e->v->job->node_name, line);
}

/* --- when --- */

static void begin(struct ending *e)
{
	const struct looking_calls calls = {
		.seen = on_seen,
		.done = on_done,
		.arg = e,
	};
	char what[64];

	if (e->begun || e->told)
		return;
	if (!e->unasked.armed)
		loop_arm(e->v->loop, &e->unasked, UNASKED_MS);
	if (!session_leads(e->v->session))
		return;
	snprintf(what, sizeof(what), ENDING_SIGHT " %lld",
		 (long long)epoch_ms() + LEAD_MS);
	e->begun = looking_begin(e->v, what, ANSWER_MS, &calls);
}

static void on_unasked(void *arg)
{
	struct ending *e = arg;
	struct err ignored;

	if (!e->told)
		ending_tell(e, epoch_ms(), ANSWER_MS, &ignored);
}

static void say_when(struct ending *e)
{
	time_t at = (time_t)e->end;
	struct tm tm;

	snprintf(e->why, sizeof(e->why), "the job's time limit comes near");
	if (e->end && localtime_r(&at, &tm))
		strftime(e->why, sizeof(e->why),
			 "the job's time limit is at %H:%M:%S", &tm);
}

/* Each launcher has the timer: the arbiter may move. */
static void on_due(void *arg)
{
	struct ending *e = arg;
	int64_t left = (e->end - e->signal.seconds) * 1000 - epoch_ms();

	if (left > 0) {
		loop_arm(e->v->loop, &e->due,
			 left < DAY_MS ? (uint64_t)left : DAY_MS);
	} else {
		say_when(e);
		begin(e);
	}
}

void ending_time(struct ending *e, int64_t seconds)
{
	if (!e || e->begun || e->told)
		return;
	loop_disarm(e->v->loop, &e->unasked);
	e->end = seconds;
	if (seconds)
		loop_arm(e->v->loop, &e->due, 0);
	else
		loop_disarm(e->v->loop, &e->due);
}

void ending_told(struct ending *e)
{
	if (!e || !signal_is_pending(SIGTERM))
		return;
	snprintf(e->why, sizeof(e->why), "Slurm ends the job (SIGTERM)");
	begin(e);
}

/* --- the part --- */

static bool is_wanted(const struct plan *plan)
{
	return plan->resolved.end_signal.number;
}

static int add_env(struct launch *l, const struct process *process,
		   struct envset *set, struct err *err)
{
	const char *dir = launch_view(l)->run_dir->path;

	(void)process;
	if (!*dir)
		return 0;
	return envset_add(set, ENV_OURS, "the job's end is near", err,
			  STOP_FILE_VARIABLE, "%s/" STOP_FILE, dir);
}

static int open(struct launch *l, struct err *err)
{
	struct launch_view *v = launch_view(l);
	struct ending *e = calloc(1, sizeof(*e));

	if (!e)
		return err_memory(err);
	e->v = v;
	e->signal = v->plan->resolved.end_signal;
	e->due = (struct loop_timer){.expired = on_due, .arg = e};
	e->unasked = (struct loop_timer){.expired = on_unasked, .arg = e};
	v->ending = e;
	ending_time(e, v->step->end_time);
	return 0;
}

static void close_ending(struct launch *l)
{
	struct launch_view *v = launch_view(l);
	struct ending *e = v->ending;

	if (!e)
		return;
	loop_disarm(v->loop, &e->due);
	loop_disarm(v->loop, &e->unasked);
	ending_here_close(e);
	free(e);
	v->ending = NULL;
}

const struct part ending_part = {
	.name = "ending",
	.wanted = is_wanted,
	.open = open,
	.close = close_ending,
	.env = add_env,
};
