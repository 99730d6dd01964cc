/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The key end-signal (doc/design/helpers-ending.md): when all launchers
 * are to tell their ranks that the job ends soon, and what came of it. They do
 * that by themselves (helpers/ending), a while later, where nobody asks.
 */
#include "core/base/text.h"
#include "core/facts/handover.h"
#include "core/facts/rows.h"
#include "helpers/lead/lead.h"
#include "helpers/server/server.h"
#include "helpers/step/query.h"
#include "sys/epoch.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ANSWER_MS  5000 /* for all launchers */
#define LINE_SIZE  512
#define DEAF_SHOWN 8

/* Longer than the loop's timers are armed for; it is looked at again then. */
#define DAY_MS 86400000

struct notice {
	struct controller *c;
	struct end_signal signal;
	struct loop_timer due;
	int64_t end;  /* seconds since the epoch; 0: unknown, or no limit */
	bool changed; /* that isn't what was handed over */
	bool begun;   /* all were asked to tell their ranks */
	unsigned ntold, ndeaf;
	char deaf[128]; /* the first of them */
	char why[128];	/* for the user */
};

/* --- what came of it --- */

static void on_seen(void *arg, unsigned member, const char *node,
		    const char *rows)
{
	struct notice *n = arg;
	cleanup_free char *text = strdup(rows);
	char *field[ROW_FIELDS], *at = text;

	(void)member;
	(void)node;
	while (text && row_next(&at, field)) {
		if (!strcmp(field[0], "told")) {
			n->ntold++;
		} else if (!strcmp(field[0], "deaf")) {
			if (n->ndeaf++ < DEAF_SHOWN)
				text_add(n->deaf, sizeof(n->deaf), ", ", "%s",
					 field[1]);
		}
	}
}

/* "the job ends at 18:00:00: 8 ranks got SIGUSR1 ..." */
static void on_done(void *arg)
{
	struct notice *n = arg;
	const char *name = end_signal_name(n->signal.number);
	char line[LINE_SIZE] = "", more[32] = "";

	if (n->ndeaf > DEAF_SHOWN)
		snprintf(more, sizeof(more), ", ...");
	text_add(line, sizeof(line), "", "dist-train: %s: ", n->why);
	text_add(line, sizeof(line), "", "%u rank%s got SIG%s", n->ntold,
		 n->ntold == 1 ? "" : "s", name);
	if (n->ndeaf)
		text_add(line, sizeof(line), "",
			 "; %u without a handler for it didn't (rank %s%s): "
			 "they can look for the file " STOP_FILE_VARIABLE,
			 n->ndeaf, n->deaf, more);
	text_add(line, sizeof(line), "", "\n");
	n->c->say(n->c->arg, line);
	record_add_text(n->c, MARK_SIGNALLED, n->c->job->node_name, line);
}

/* --- when --- */

static void begin(struct notice *n)
{
	const struct query_calls calls = {
		.seen = on_seen,
		.done = on_done,
		.arg = n,
	};
	char what[64];

	if (n->begun)
		return;
	snprintf(what, sizeof(what), SIGHT_ENDING " %lld",
		 (long long)epoch_ms() + ENDING_LEAD_MS);
	n->begun = query_begin(n->c, what, ANSWER_MS, &calls);
	if (n->begun)
		lead_outcome(n->c->lead, OUTCOME_SIGNALLED);
}

static void say_when(struct notice *n)
{
	time_t at = (time_t)n->end;
	struct tm tm;

	snprintf(n->why, sizeof(n->why), "the job's time limit comes near");
	if (n->end && localtime_r(&at, &tm))
		strftime(n->why, sizeof(n->why),
			 "the job's time limit is at %H:%M:%S", &tm);
}

static void on_due(void *arg)
{
	struct notice *n = arg;
	int64_t left = (n->end - n->signal.seconds) * 1000 - epoch_ms();

	if (left > 0) {
		loop_arm(n->c->loop, &n->due,
			 left < DAY_MS ? (uint64_t)left : DAY_MS);
	} else {
		say_when(n);
		begin(n);
	}
}

static void arm(struct notice *n)
{
	if (n->end)
		loop_arm(n->c->loop, &n->due, 0);
	else
		loop_disarm(n->c->loop, &n->due);
}

/* Each launcher has a clock of its own for when nobody asks it. */
static void tell(const struct notice *n, unsigned member)
{
	struct server *server = controller_server(n->c);
	char text[32];
	int size = snprintf(text, sizeof(text), "%lld", (long long)n->end);

	if (member == MEMBER_NONE)
		server_send_all(server, MSG_LIMIT, text, (size_t)size);
	else
		server_tell(server, member, MSG_LIMIT, text, (size_t)size);
}

void controller_end_time(struct controller *c, int64_t seconds)
{
	struct notice *n = c->notice;

	if (!n || n->begun)
		return;
	n->end = seconds;
	n->changed = true;
	tell(n, MEMBER_NONE);
	arm(n);
}

void controller_told_by_slurm(struct controller *c)
{
	struct notice *n = c->notice;

	if (!n || n->begun)
		return;
	snprintf(n->why, sizeof(n->why), "Slurm ends the job (SIGTERM)");
	begin(n);
}

/* Who has come since. */
static void on_up(void *arg, unsigned member, const char *text)
{
	const struct notice *n = ((struct controller *)arg)->notice;

	(void)text;
	if (n->changed)
		tell(n, member);
}

/* --- the part --- */

static bool is_wanted(const struct plan *plan)
{
	return plan->resolved.end_signal.number;
}

static int open(struct controller *c, struct err *err)
{
	struct notice *n = c->notice = calloc(1, sizeof(*n));

	if (!n)
		return err_memory(err);
	n->c = c;
	n->signal = c->plan->resolved.end_signal;
	n->due = (struct loop_timer){.expired = on_due, .arg = n};
	n->end = c->step->end_time;
	arm(n);
	return 0;
}

static void close_notice(struct controller *c)
{
	if (!c->notice)
		return;
	loop_disarm(c->loop, &c->notice->due);
	free(c->notice);
	c->notice = NULL;
}

const struct step_part notice_of_step = {
	.name = "notice",
	.wanted = is_wanted,
	.open = open,
	.close = close_notice,
	.told = (const struct subscription[]){{.type = MSG_UP, .take = on_up},
					      {0}},
};
