/* SPDX-License-Identifier: Apache-2.0 */
/* What members are told, and the user reads. */
#include "helpers/arbiter/arbiter_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- to members --- */

void arbiter_tell(struct arbiter *a, unsigned member, char type,
		  const char *text)
{
	a->o.send(a->o.arg, member, type, text, strlen(text));
}

void arbiter_tell_number(struct arbiter *a, char type, long n)
{
	char text[24];

	snprintf(text, sizeof(text), "%ld", n);
	arbiter_tell(a, ARBITER_ALL, type, text);
}

/* Task 0's own launcher gets it last, as from ARBITER_ALL. */
void group_tell(struct arbiter_group *g, char type, const char *text)
{
	struct arbiter *a = g->arbiter;

	if (g->n == a->o.n) {
		arbiter_tell(a, ARBITER_ALL, type, text);
		return;
	}
	for (unsigned i = a->o.n; i-- > 0;)
		if (a->member[i].group == g &&
		    a->member[i].state != MEMBER_GONE)
			arbiter_tell(a, i, type, text);
}

void arbiter_tell_round(struct arbiter *a, unsigned member)
{
	char *places = places_text(&a->roster->places), *text = NULL;

	for (unsigned i = 0; i < a->o.n; i++)
		if (member == ARBITER_ALL || member == i)
			a->member[i].round = a->group->round;
	if (places && asprintf(&text, "%u %s", a->group->round, places) >= 0)
		arbiter_tell(a, member, MSG_ROUND, text);
	free(text);
	free(places);
}

/* --- to the user --- */

void arbiter_say(const struct arbiter *a, const char *format, ...)
{
	char line[LOSS_LINE_SIZE] = "dist-train: ";
	size_t n = strlen(line);
	va_list args;

	va_start(args, format);
	vsnprintf(line + n, sizeof(line) - n, format, args);
	va_end(args);
	a->o.say(a->o.say_arg, line);
}

void arbiter_say_no_answer(const struct arbiter *a)
{
	roster_say(a->roster, a->fate, NULL, 0, a->o.say, a->o.say_arg);
}

void arbiter_say_killed(const struct arbiter *a)
{
	if (a->failed && a->nkilled)
		arbiter_say(a, "%lu other process%s ended\n", a->nkilled,
			    a->nkilled == 1 ? " was" : "es were");
}

void group_say_failure(const struct arbiter_group *g)
{
	if (*g->first.line)
		g->arbiter->o.say(g->arbiter->o.say_arg, g->first.line);
}

void group_say_absent(const struct arbiter_group *g)
{
	arbiter_say(g->arbiter,
		    "no restart: the launchers of %u of %u tasks have not "
		    "answered\n",
		    g->nabsent, g->n);
}

void group_say_down(struct arbiter_group *g)
{
	const struct arbiter *a = g->arbiter;
	unsigned able = a->nable, min = a->o.min_groups;
	char then[128] = "it was the last one";

	if (able && able >= min)
		snprintf(then, sizeof(then), "%u of %u groups go on", able,
			 a->ngroups);
	else if (able)
		snprintf(then, sizeof(then),
			 "the step ends, because %u of %u groups are fewer "
			 "than min-replicas=%u",
			 able, a->ngroups, min);
	if (!g->first.step_signalled)
		arbiter_say(a, "replica group %u stays down: %s; %s\n",
			    g->number, g->why, then);
}

/* The user has asked for restarts. */
static void say_unused(const struct arbiter_group *g)
{
	const struct arbiter *a = g->arbiter;
	unsigned used = g->nrestarts, max = a->o.rounds;

	if (!*g->why || !max || g->first.step_signalled)
		return;
	if (used >= max)
		arbiter_say(a, "no restart: restarts=%u is used up\n", max);
	else if (used)
		arbiter_say(a, "no restart after %u of restarts=%u: %s\n", used,
			    max, g->why);
	else
		arbiter_say(a, "restarts=%u not used: %s\n", max, g->why);
}

static void say_restart(const struct arbiter_group *g)
{
	const struct arbiter *a = g->arbiter;
	char whose[32] = "the step", pause[32] = "";

	if (!g->counted)
		return;
	if (a->o.ngroups)
		snprintf(whose, sizeof(whose), "replica group %u", g->number);
	if (g->pauses.next_ms >= 1000)
		snprintf(pause, sizeof(pause), ", in %.1f s",
			 g->pauses.next_ms / 1000.0);
	arbiter_say(a, "restart %u of %u of %s's processes%s\n", g->nrestarts,
		    a->o.rounds, whose, pause);
}

/* What a lost node comes to is said in place of the key restarts. */
static void say_end(struct arbiter_group *g)
{
	const struct arbiter *a = g->arbiter;
	bool said = arbiter_has_ladder(a) && a->fate > ROSTER_PLACES;

	if (said)
		arbiter_say_no_answer(a);
	if (g->nabsent)
		group_say_absent(g);
	if (a->o.ngroups && arbiter_has_started(a))
		group_say_down(g);
	else if (!g->nabsent && !said)
		say_unused(g);
}

void group_note_first(const struct arbiter_group *g)
{
	const struct arbiter_options *o = &g->arbiter->o;

	if (o->failed && !g->first.step_signalled)
		o->failed(o->say_arg, g->first.member, g->first.code,
			  g->first.line);
}

void group_say_first(struct arbiter_group *g, bool again)
{
	const struct arbiter_failure *f = &g->first;

	group_note_first(g);
	group_say_failure(g);
	if (!*f->line && !f->step_signalled && !f->lost)
		arbiter_tell(g->arbiter, f->member, MSG_REPORT, "");
	if (again)
		say_restart(g);
	else
		say_end(g);
}
