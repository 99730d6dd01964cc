/* SPDX-License-Identifier: Apache-2.0 */
/* How processes see what is here, and what they are told of the rest. */
#include "helpers/stage/stage_own.h"

#include "core/base/parse.h"
#include "core/base/text.h"
#include "sys/user_namespace.h"

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
	snprintf(s->staged, sizeof(s->staged), "path: %.1000s", why);
	return 0;
}

static bool writes(const struct launch *l)
{
	return request_word(launch_view(l)->request, KEY_STAGE_WRITE) ==
	       STAGE_WRITE_OVERLAY;
}

/* A copy without a mount isn't for writing: others use it, too. */
static void leave_shared(struct stage *s, const char *why)
{
	char line[WHY_SIZE + 300];

	snprintf(s->remark, sizeof(s->remark), "stage-write=overlay: %.370s",
		 why);
	s->nothing = false;
	snprintf(line, sizeof(line),
		 "%s: its processes run from the shared path: %s",
		 launch_view(s->l)->step->node_name, s->remark);
	if (stage_speaks(s) && !stage_is_strict(s))
		stage_say(s, line);
}

/* Returns 0, or -1: not allowed by the administrator, or the kernel. */
static int make_view(struct stage *s, const struct view_mount *mounts,
		     unsigned n, struct err *err)
{
	char name[64];
	const struct view_spec spec = {
		.folder = s->cache[0].fd,
		.path = s->cache[0].path,
		.name = name,
		.writes = writes(s->l),
		.mount = mounts,
		.nmounts = n,
	};

	if (launch_view(s->l)->config->stage == CONFIG_STAGE_PATH)
		return err_printf(err, "the administrator's stage=path");
	name_view(s, name);
	return view_open(&spec, &s->view, err);
}

/* Returns 0, or -1 when out of memory. */
static int let_see(struct stage *s)
{
	struct view_mount mounts[STAGE_THINGS_MAX];
	unsigned n = mounts_of(s, mounts);
	struct err err;

	if (!n)
		return 0;
	if (make_view(s, mounts, n, &err) == 0) {
		snprintf(s->staged, sizeof(s->staged), "userns");
		return 0;
	}
	if (writes(s->l)) {
		leave_shared(s, err.text);
		return 0;
	}
	if (launch_view(s->l)->config->stage != CONFIG_STAGE_PATH)
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

void stage_show_view(const struct launch *l)
{
	struct err err;
	int rc;

	if (launch_view(l)->config->stage == CONFIG_STAGE_PATH)
		rc = err_printf(&err, "the administrator's stage=path");
	else
		rc = user_namespace_check(&err);
	if (launch_view(l)->config->stage == CONFIG_STAGE_OFF)
		printf("stage: nothing: the administrator's stage=off\n");
	else if (rc == 0)
		printf("stage: seen under its own path, %s (userns)\n",
		       writes(l) ? "with a layer for what is written"
				 : "read-only");
	else
		printf("stage: seen %s: %s\n",
		       writes(l) ? "nowhere, stage-write=overlay needs a mount"
				 : "by PATH and Python's search path (path)",
		       err.text);
}
