/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/stage/stage.h"

#include "helpers/output/timeline.h"
#include "helpers/part/part.h"
#include "helpers/part/phase.h"
#include "helpers/stage/stage_own.h"

#include <stdio.h>
#include <string.h>

#define STAGED "DIST_TRAIN_STAGED"

static struct stage *stage_of(const struct launch *l)
{
	return own_of(l, &stage_phase);
}

static void on_done(void *arg)
{
	struct stage *s = arg;

	if (!s->waits)
		return;
	s->waits = false;
	phase_done(s->l);
}

static void on_again(void *arg)
{
	struct stage *s = arg;

	if (s->state == STAGE_READS)
		stage_say_reads(s);
	if (s->state == STAGE_BEGINS)
		launch_send(s->l, MSG_STAGE, "ask");
	else if (s->state == STAGE_ASKS)
		stage_tell(s, "lack", "");
	else
		return;
	loop_arm(launch_view(s->l)->loop, &s->again, ASK_AGAIN_MS);
}

static void on_tick(void *arg)
{
	stage_tell_bytes(arg);
}

/* WORD N MORE of what is under way */
static const char *of_now(const struct stage *s, const char *text,
			  const char *word)
{
	const char *more = stage_behind(text, word);
	long n;

	if (!more || s->state != STAGE_ASKS ||
	    message_number(&more, 0, STAGE_THINGS_MAX, &n) < 0 || n != s->at)
		return NULL;
	return more;
}

static void keep(struct launch *l, const char *data, size_t n)
{
	struct stage *s = stage_of(l);
	const char *more;

	(void)n;
	if (!s || !s->l)
		return;
	if (!strcmp(data, "look"))
		stage_look(s);
	else if (!strncmp(data, "plan", 4) && s->state == STAGE_BEGINS)
		stage_begin(s, data, false);
	else if (of_now(s, data, "read"))
		stage_read(s);
	else if ((more = of_now(s, data, "from")))
		stage_take(s, more);
	else if ((more = of_now(s, data, "none")))
		stage_give_up(s, more);
}

static enum phase_state message(struct launch *l, const char *data, size_t n,
				struct err *err)
{
	(void)l;
	(void)data;
	(void)n;
	(void)err;
	return PHASE_WAITS; /* for on_done() */
}

static void start(struct stage *s)
{
	s->lock = s->half = -1;
	s->view.ns = (struct child_view){-1, -1};
	for (unsigned i = 0; i < CACHE_BASES; i++)
		s->cache[i].fd = -1;
	s->again = (struct loop_timer){.expired = on_again, .arg = s};
	s->done = (struct loop_timer){.expired = on_done, .arg = s};
	s->tick = (struct loop_timer){.expired = on_tick, .arg = s};
	s->began_ms = loop_now_ms();
	timeline_all(launch_view(s->l)->timeline, launch_view(s->l)->plan,
		     PHASE_STAGING);
	if (launch_view(s->l)->config->stage == CONFIG_STAGE_OFF) {
		snprintf(s->remark, sizeof(s->remark),
			 "the administrator's stage=off");
		stage_finish(s);
	} else if (stage_is_alone(s)) {
		stage_look(s);
	} else {
		launch_send(s->l, MSG_STAGE, "ask");
		loop_arm(launch_view(s->l)->loop, &s->again, ASK_AGAIN_MS);
	}
}

static enum phase_state begin(struct launch *l, struct err *err)
{
	struct stage *s = stage_of(l);

	(void)err;
	if (s->state == STAGE_IS_DONE)
		return PHASE_DONE;
	s->waits = true;
	if (!s->l) {
		s->l = l;
		start(s);
	}
	return PHASE_WAITS;
}

/* What is under way goes on: the next round needs it, too. */
static void leave(struct launch *l)
{
	stage_of(l)->waits = false;
}

static long keep_bytes(const struct launch *l)
{
	return stage_keeps(launch_view(l)->request, launch_view(l)->config);
}

static void end(struct launch *l)
{
	struct stage *s = stage_of(l);

	if (!s->l)
		return;
	loop_disarm(launch_view(l)->loop, &s->again);
	loop_disarm(launch_view(l)->loop, &s->done);
	loop_disarm(launch_view(l)->loop, &s->tick);
	subprocess_text_drop(&s->child);
	copy_give_close(s->give);
	stage_close_part(s);
	view_close(&s->view);
	for (unsigned i = 0; i < s->npairs; i++)
		free((char *)s->pairs[i].to);
	free(s->pairs);
	for (unsigned i = 0; i < s->nparts; i++) {
		growing_close(&s->part[i].growing);
		if (s->part[i].copy >= 0)
			close(s->part[i].copy);
	}
	for (unsigned i = 0; i < s->ncaches; i++)
		cache_trim(&s->cache[i],
			   s->cache[i].in_memory ? 0 : keep_bytes(l));
	caches_close(s->cache);
	free(s->part);
}

static bool is_wanted(const struct plan *plan)
{
	return plan->resolved.stages;
}

int stage_child(const struct launch *l, struct child *child,
		struct stage_command *own, struct err *err)
{
	const struct stage *s = stage_of(l);

	*own = (struct stage_command){.argv = NULL};
	if (!s || !s->l)
		return 0;
	child->view = &s->view.ns;
	return path_view_command(s->pairs, s->npairs, child, own->file,
				 &own->argv) < 0
		       ? err_memory(err)
		       : 0;
}

static int add_env(struct launch *l, const struct process *process,
		   struct envset *set, struct err *err)
{
	const struct stage *s = stage_of(l);

	(void)process;
	if (!s)
		return 0;
	return envset_add(set, ENV_OURS, "key stage", err, STAGED, "%s",
			  s->staged);
}

const struct phase stage_phase = {
	.name = "stage",
	.wanted = is_wanted,
	.size = sizeof(struct stage),
	.show = stage_show,
	.begin = begin,
	.takes = MSG_STAGED,
	.message = message,
	.keep = keep,
	.leave = leave,
	.end = end,
	.each_world = true,
	.of_spares = true,
};

const struct part stage_part = {
	.name = "stage",
	.wanted = is_wanted,
	.env = add_env,
};
