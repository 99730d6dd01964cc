/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/report/goodput.h"

#include "core/base/array.h"

#include <stdlib.h>
#include <string.h>

const char *world_part_word(enum world_part part)
{
	static const char *const words[WORLD_PART_COUNT] = {
		[WORLD_PART_WAITING] = "waiting",
		[WORLD_PART_STARTING] = "starting",
		[WORLD_PART_RUNNING] = "running",
		[WORLD_PART_REDONE] = "redone",
		[WORLD_PART_RESTART] = "restart",
	};

	return words[part];
}

/* A world of the step that is being read. */
struct world_clock {
	char name[48];
	size_t role; /* of the job's */
	int64_t since_ms;
	enum world_part part; /* since then; WORLD_PART_COUNT: it is down, and
				 only a restart makes a part of that */
	int64_t ran_ms;	      /* in this round */
};

struct world_clocks {
	struct goodput *g;
	struct world_clock *world;
	size_t n;
	int64_t begin_ms; /* of the step */
	bool failed;	  /* out of memory */
};

/* --- who it is --- */

/* "rollout" of "rollout.1". */
static long role_of(struct goodput *g, const char *world)
{
	size_t n = strcspn(world, ".");
	struct goodput_role *r;

	for (size_t i = 0; i < g->nroles; i++)
		if (strlen(g->role[i].name) == n &&
		    !strncmp(g->role[i].name, world, n))
			return (long)i;
	r = array_append(&g->role, g->nroles, sizeof(*r));
	if (!r)
		return -1;
	snprintf(r->name, sizeof(r->name), "%.*s", (int)n, world);
	return (long)g->nroles++;
}

static struct world_clock *clock_of(struct world_clocks *c, const char *world)
{
	struct world_clock *w;
	long role;

	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->world[i].name, world))
			return &c->world[i];
	role = role_of(c->g, world);
	w = role < 0 ? NULL : array_append(&c->world, c->n, sizeof(*w));
	if (!w) {
		c->failed = true;
		return NULL;
	}
	c->n++;
	c->g->role[role].step_worlds++;
	*w = (struct world_clock){
		.role = (size_t)role,
		.since_ms = c->begin_ms,
		.part = WORLD_PART_WAITING,
	};
	snprintf(w->name, sizeof(w->name), "%s", world);
	return w;
}

/* --- its time --- */

static void spend(struct world_clocks *c, struct world_clock *w, int64_t at_ms,
		  enum world_part next)
{
	int64_t ms = at_ms > w->since_ms ? at_ms - w->since_ms : 0;

	if (w->part == WORLD_PART_RUNNING)
		w->ran_ms += ms;
	else if (w->part != WORLD_PART_COUNT)
		c->g->role[w->role].ms[w->part] += ms;
	if (at_ms > w->since_ms)
		w->since_ms = at_ms;
	w->part = next;
}

/* What its round has done was in vain, as far as nothing was saved. */
static void begin_again(struct world_clocks *c, struct world_clock *w,
			int64_t at_ms)
{
	struct goodput_role *r = &c->g->role[w->role];

	if (w->part == WORLD_PART_COUNT)
		w->part = WORLD_PART_RESTART;
	spend(c, w, at_ms, WORLD_PART_RESTART);
	r->ms[WORLD_PART_REDONE] += w->ran_ms;
	r->restarts++;
	w->ran_ms = 0;
}

/* Records of older versions don't say when a world has started. */
static void see_world(struct world_clocks *c, const struct node_mark *m,
		      int64_t at_ms)
{
	struct world_clock *w = clock_of(c, m->world);

	if (!w)
		return;
	if (!strcmp(m->state, "started"))
		spend(c, w, at_ms, WORLD_PART_STARTING);
	else if (!strcmp(m->state, "ready"))
		spend(c, w, at_ms, WORLD_PART_RUNNING);
	else if (!strcmp(m->state, "restarted"))
		begin_again(c, w, at_ms);
	else if (!strcmp(m->state, "ending") || !strcmp(m->state, "failed") ||
		 !strcmp(m->state, "done"))
		spend(c, w, at_ms, WORLD_PART_COUNT);
}

/* --- all --- */

static void end_clocks(struct world_clocks *c, int64_t end_ms)
{
	for (size_t i = 0; i < c->n; i++) {
		struct world_clock *w = &c->world[i];

		spend(c, w, end_ms, WORLD_PART_COUNT);
		c->g->role[w->role].ms[WORLD_PART_RUNNING] += w->ran_ms;
	}
	for (size_t i = 0; i < c->g->nroles; i++) {
		struct goodput_role *r = &c->g->role[i];

		if (r->step_worlds > r->worlds)
			r->worlds = r->step_worlds;
		r->step_worlds = 0;
	}
}

static bool count_worlds(struct goodput *g, const struct goodput_step *step,
			 bool runs)
{
	const struct record *r = &step->record;
	struct world_clocks c = {.g = g, .begin_ms = step_begin_ms(step)};

	for (size_t i = 0; i < r->nmarks && !c.failed; i++)
		if (r->mark[i].mark == MARK_WORLD && *r->mark[i].world)
			see_world(&c, &r->mark[i],
				  step_begin_ms(step) +
					  (int64_t)r->mark[i].at_ms);
	end_clocks(&c, runs ? g->job->now_ms : step_end_ms(step));
	free(c.world);
	return !c.failed;
}

bool goodput_count_roles(struct goodput *g)
{
	const struct goodput_job *job = g->job;

	for (size_t i = 0; i < job->nlives; i++)
		for (size_t k = 0; k < job->life[i].nsteps; k++) {
			bool last = i + 1 == job->nlives &&
				    k + 1 == job->life[i].nsteps;

			if (!count_worlds(g, &job->life[i].step[k],
					  last && job->step_runs))
				return false;
		}
	return true;
}
