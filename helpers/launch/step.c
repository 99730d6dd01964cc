/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/launch/step.h"

#include "core/base/cleanup.h"
#include "core/plan/plan_make.h"
#include "helpers/launch/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *launch_env(void *arg, const char *name)
{
	const char *value = getenv(name);

	(void)arg;
	return value ? strdup(value) : NULL;
}

void launch_say(struct launch *l, const char *lines)
{
	if (l->output)
		output_say(l->output, lines);
	else
		own_lines_say(&l->own_lines, lines);
}

void launch_send(struct launch *l, enum message type, const char *text)
{
	session_send(l->session, (char)type, text, strlen(text));
}

void launch_stop(struct launch *l, int code, long after_s, const char *why)
{
	cleanup_free char *text = NULL;

	if (asprintf(&text, "%d %ld %s", code, after_s, why) >= 0)
		launch_send(l, MSG_STOP, text);
	if (l->procs.running)
		procs_end(&l->procs, after_s);
}

void launch_fail(struct launch *l, const char *why)
{
	launch_stop(l, EXIT_FAILURE, 0, why);
}

const char *launch_no_channel(const struct launch *l)
{
	const char *why;

	return session_no_channel(l->session, &why) ? why : NULL;
}

int launch_plan_again(struct launch *l, struct err *err)
{
	const struct made_for_plan *made = &l->made;

	if (plan_make(&l->request, &l->config, &l->job, &l->plan, err) < 0)
		return -1;
	l->plan.rank_table = *made->rank_table ? made->rank_table : NULL;
	l->plan.secret = *made->secret ? made->secret : NULL;
	host_files_tell(&made->host_files, &l->plan);
	return 0;
}
