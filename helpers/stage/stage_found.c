/* SPDX-License-Identifier: Apache-2.0 */
/* What there is to stage, as one launcher finds it and all read it. */
#include "helpers/stage/stage_own.h"

#include "core/base/parse.h"
#include "core/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ! or =, a blank, and why. */
static void take_remark(struct stage *s, const char *remark, size_t n, bool own)
{
	char line[WHY_SIZE + 64];

	if (n < 3 || !strchr("!=", *remark))
		return;
	s->nothing = *remark == '=';
	snprintf(s->remark, sizeof(s->remark), "%.*s", (int)n - 2, remark + 2);
	plain_text(s->remark, "");
	snprintf(line, sizeof(line), "stage: %s; %s", s->remark,
		 s->nothing ? "nothing is staged"
			    : "the processes use it where it is");
	if (own && (s->nothing || !stage_is_strict(s)))
		stage_say(s, line);
}

static int read_plan(struct stage *s, const char *text, bool own)
{
	struct stage_thing thing;
	const char *remark;
	size_t n;
	int rc;

	s->part = calloc(STAGE_THINGS_MAX, sizeof(*s->part));
	if (!s->part)
		return -1;
	while ((rc = stage_plan_next(&text, &thing, &remark, &n)) != 0) {
		struct part_of *p = &s->part[s->nparts];

		if (rc < 0) {
			take_remark(s, remark, n, own);
		} else if (s->nparts < STAGE_THINGS_MAX) {
			*p = (struct part_of){
				.thing = thing,
				.copy = -1,
				.growing = GROWING_NONE,
			};
			cache_name(thing.sum.id, p->here);
			s->nparts++;
		}
	}
	return 0;
}

void stage_begin(struct stage *s, const char *text, bool own)
{
	const struct config *config = launch_view(s->l)->config;
	struct err err;

	loop_disarm(launch_view(s->l)->loop, &s->again);
	if (s->part)
		return;
	if (read_plan(s, text, own) < 0) {
		launch_fail(s->l, "out of memory");
		return;
	}
	s->ncaches = caches_open(config->stagedir, s->cache, &err);
	if (s->ncaches) {
		stage_next(s);
		return;
	}
	for (s->at = 0; s->at + 1 < s->nparts; s->at++)
		snprintf(stage_now(s)->why, WHY_SIZE, "%.*s", WHY_SIZE - 1,
			 err.text);
	if (s->nparts)
		stage_give_up(s, err.text);
	else
		stage_finish(s);
}

static int find_plan(const int fd[2], const void *arg)
{
	const struct launch_view *v =
		launch_view(((const struct stage *)arg)->l);

	stage_plan_write(v->request, v->program, fd[1]);
	return 0;
}

static void on_plan(void *arg, char *text, bool late)
{
	struct stage *s = arg;

	(void)late;
	if (strncmp(text, "plan", 4) != 0) {
		launch_fail(s->l, "stage: the process that looks at it was "
				  "killed");
		return;
	}
	if (!stage_is_alone(s))
		launch_send(s->l, MSG_STAGE, text);
	stage_begin(s, text, true);
}

void stage_look(struct stage *s)
{
	if (s->state != STAGE_BEGINS)
		return;
	s->state = STAGE_LOOKS;
	stage_run(s, find_plan, on_plan);
}

/* --- with explain=only --- */

#define SHOW_MS 60000 /* for all that is there to be looked at */

static void show_text(const char *text)
{
	struct stage_thing t;
	const char *remark;
	size_t n;
	int rc;

	while ((rc = stage_plan_next(&text, &t, &remark, &n)) != 0) {
		if (rc > 0)
			printf("stage: %s, %lu files, %.1f MB\n", t.path,
			       t.sum.files, (double)t.sum.bytes / 1e6);
		else if (n > 2)
			printf("stage: nothing: %.*s\n", (int)n - 2,
			       remark + 2);
	}
}

int stage_show(struct launch *l, struct err *err)
{
	const struct stage s = {.l = l};
	cleanup_free char *text = NULL;

	if (launch_view(l)->step->procid)
		return 0;
	text = malloc(STAGE_PLAN_MAX);
	if (!text)
		return err_memory(err);
	if (subprocess_ask(find_plan, &s, SHOW_MS, text, STAGE_PLAN_MAX, err) <
	    0)
		return -1;
	show_text(text);
	stage_show_view(l);
	fflush(stdout);
	return 0;
}
