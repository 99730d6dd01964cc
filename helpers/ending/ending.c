/* SPDX-License-Identifier: Apache-2.0 */
/* When this launcher tells its ranks: when it is asked, and by itself a while
 * after everybody should have been. */
#include "helpers/ending/ending_state.h"

#include "core/base/parse.h"
#include "helpers/part/part.h"
#include "helpers/part/sight.h"
#include "sys/epoch.h"

#include <limits.h>

#define TELL_MS 5000 /* that the ranks may take */

/* A launcher that isn't asked, since it came when all others were, or the
 * controller is lost, tells its ranks itself. Clocks may differ by less. */
#define UNASKED_MS 10000

#define LATE_MS 2000

/* Longer than the loop's timers are armed for; it is looked at again then. */
#define DAY_MS 86400000

static void on_unasked(void *arg)
{
	struct ending *e = arg;
	struct err ignored;

	if (!e->told)
		ending_tell(e, epoch_ms(), TELL_MS, &ignored);
}

static void await_question(struct ending *e)
{
	if (!e->told && !e->unasked.armed)
		loop_arm(e->v->loop, &e->unasked, UNASKED_MS);
}

static void on_due(void *arg)
{
	struct ending *e = arg;
	int64_t left = (e->end - e->signal.seconds) * 1000 - epoch_ms();

	if (left <= 0)
		await_question(e);
	else
		loop_arm(e->v->loop, &e->due,
			 left < DAY_MS ? (uint64_t)left : DAY_MS);
}

static void set_end(struct ending *e, int64_t seconds)
{
	loop_disarm(e->v->loop, &e->unasked);
	e->end = seconds;
	if (seconds)
		loop_arm(e->v->loop, &e->due, 0);
	else
		loop_disarm(e->v->loop, &e->due);
}

/* SECONDS */
static void on_limit(struct launch *l, const char *text)
{
	long seconds;

	if (message_number(&text, 0, LONG_MAX, &seconds) == 0)
		set_end(own_of(l, &ending_part), seconds);
}

void ending_told(struct launch *l)
{
	struct ending *e = own_of(l, &ending_part);

	if (e)
		await_question(e);
}

/* --- when it is asked --- */

/* The moment, by the controller's clock. A message may be late; a clock that is
 * off by more is none: then it is what it has meant when it sent this. */
static int64_t moment(const char *word)
{
	int64_t now = epoch_ms();
	long at;

	if (parse_number(word, 0, LONG_MAX, &at) < 0 || at < now - LATE_MS ||
	    at > now + ENDING_LEAD_MS)
		return now + ENDING_LEAD_MS;
	return at;
}

/* MOMENT, in milliseconds since the epoch */
void ending_begin(struct sight *sight, const char *words)
{
	struct ending *e = own_of(sight_view(sight)->launch, &ending_part);
	struct err err;

	if (!e || e->told) {
		sight_tell(sight, "");
		return;
	}
	e->sight = sight;
	sight_keep(sight, e);
	if (ending_tell(e, moment(words), sight_ms(sight), &err) < 0)
		sight_tell(sight, "");
}

void ending_end(struct sight *sight)
{
	struct ending *e = sight_kept(sight);

	if (e)
		ending_here_forget(e);
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
	struct ending *e = own_of(l, &ending_part);

	(void)err;
	e->v = v;
	e->signal = v->plan->resolved.end_signal;
	e->due = (struct loop_timer){.expired = on_due, .arg = e};
	e->unasked = (struct loop_timer){.expired = on_unasked, .arg = e};
	set_end(e, v->step->end_time);
	return 0;
}

static void close_ending(struct launch *l)
{
	struct ending *e = own_of(l, &ending_part);

	loop_disarm(e->v->loop, &e->due);
	loop_disarm(e->v->loop, &e->unasked);
	ending_here_close(e);
}

const struct part ending_part = {
	.name = "ending",
	.wanted = is_wanted,
	.size = sizeof(struct ending),
	.open = open,
	.close = close_ending,
	.messages = (const struct part_message[]){{MSG_LIMIT, on_limit}, {0}},
	.env = add_env,
};
