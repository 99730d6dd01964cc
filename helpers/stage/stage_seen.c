/* SPDX-License-Identifier: Apache-2.0 */
/* How processes see what is here, and what they are told of the rest. */
#include "helpers/stage/stage_own.h"

#include "core/base/parse.h"
#include "core/base/text.h"

#include <stdio.h>
#include <stdlib.h>

static unsigned mounts_of(struct stage *s,
			  struct view_mount ret[STAGE_THINGS_MAX])
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->nparts; i++) {
		struct part_of *p = &s->part[i];

		if (p->copy < 0)
			continue;
		snprintf(p->at, sizeof(p->at), "%s/%s", p->cache->path,
			 p->here);
		ret[n++] = (struct view_mount){
			.fd = p->copy,
			.from = p->at,
			.name = base_name(p->thing.path),
			.path = p->thing.path,
		};
	}
	return n;
}

/* What processes are told, behind how they see what is here. */
static void add_reasons(struct stage *s)
{
	for (unsigned i = 0; i < s->nparts; i++)
		if (*s->part[i].why)
			text_add(s->staged, sizeof(s->staged), "; ",
				 "no: %s: %s", s->part[i].thing.path,
				 s->part[i].why);
	if (*s->remark)
		text_add(s->staged, sizeof(s->staged), "; ", "no: %s",
			 s->remark);
}

/* The same things for all who have it in common. */
static void name_view(const struct stage *s, char ret[64])
{
	char step[JOB_STEP_SIZE];
	unsigned set = 0;

	for (unsigned i = 0; i < s->nparts; i++)
		set |= (s->part[i].copy >= 0 ? 1U : 0) << i;
	snprintf(ret, 64, "%.40s.%x.view",
		 job_step(launch_view(s->l)->step, step), set);
}

static void say_path_view(struct stage *s, const char *why)
{
	char line[WHY_SIZE + 300];

	snprintf(line, sizeof(line),
		 "%s: what is staged isn't at its own path there (%.390s): "
		 "PATH and Python's search path point to the copy",
		 launch_view(s->l)->step->node_name, why);
	if (stage_speaks(s))
		stage_say(s, line);
}

/* Returns 0, or -1 when out of memory. */
static int point_to_copies(struct stage *s, const struct view_mount *mounts,
			   unsigned n, const char *why)
{
	s->pairs = calloc(n, sizeof(*s->pairs));
	for (unsigned i = 0; s->pairs && i < n; i++) {
		char *to;

		if (asprintf(&to, "%s/%s", mounts[i].from, mounts[i].name) < 0)
			return -1;
		s->pairs[s->npairs++] = (struct path_pair){mounts[i].path, to};
	}
	if (!s->pairs || path_view_env(s->pairs, n) < 0)
		return -1;
	snprintf(s->staged, sizeof(s->staged), "path: %s", why);
	return 0;
}

/* Returns 0, or -1 when out of memory. */
static int let_see(struct stage *s)
{
	struct view_mount mounts[STAGE_THINGS_MAX];
	unsigned n = mounts_of(s, mounts);
	char name[64];
	struct err err;

	if (!n)
		return 0;
	name_view(s, name);
	if (launch_view(s->l)->config->stage == CONFIG_STAGE_PATH)
		return point_to_copies(s, mounts, n,
				       "the administrator's stage=path");
	if (view_open(s->cache[0].fd, name, mounts, n, &s->view, &err) == 0) {
		snprintf(s->staged, sizeof(s->staged), "userns");
		return 0;
	}
	say_path_view(s, err.text);
	return point_to_copies(s, mounts, n, err.text);
}

static bool has_all(const struct stage *s)
{
	bool all = !*s->remark || s->nothing;

	for (unsigned i = 0; i < s->nparts; i++)
		all = all && s->part[i].copy >= 0;
	return all;
}

void stage_finish(struct stage *s)
{
	struct err err;

	s->state = STAGE_IS_DONE;
	if (let_see(s) < 0) {
		launch_fail(s->l, "out of memory");
		return;
	}
	add_reasons(s);
	if (!stage_is_alone(s))
		launch_send(s->l, MSG_STAGE, "done");
	if (stage_is_strict(s) && !has_all(s)) {
		err_printf(&err, "stage-strict=yes: %s: %.800s",
			   launch_view(s->l)->step->node_name, s->staged);
		launch_fail(s->l, err.text);
		return;
	}
	loop_arm(launch_view(s->l)->loop, &s->done, 0);
}
