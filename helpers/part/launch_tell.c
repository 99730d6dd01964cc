/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/part/launch_tell.h"

#include "core/base/err.h"
#include "helpers/output/output.h"
#include "helpers/part/launch_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void launch_say(struct launch *l, const char *lines)
{
	const struct launch_view *v = launch_view(l);

	if (v->output)
		output_say(v->output, lines);
	else
		own_lines_say(v->own_lines, lines);
}

void launch_send(struct launch *l, enum message type, const char *text)
{
	session_send(launch_view(l)->session, (char)type, text, strlen(text));
}

void launch_stop(struct launch *l, int code, long after_s, const char *why)
{
	struct procs *procs = launch_view(l)->procs;
	cleanup_free char *text = NULL;

	if (asprintf(&text, "%d %ld %s", code, after_s, why) >= 0)
		launch_send(l, MSG_STOP, text);
	if (procs->running)
		procs_end(procs, after_s);
}

void launch_fail(struct launch *l, const char *why)
{
	launch_stop(l, EXIT_FAILURE, 0, why);
}

const char *launch_no_channel(const struct launch *l)
{
	const char *why;

	return session_no_channel(launch_view(l)->session, &why) ? why : NULL;
}

void launch_leave(struct launch *l, int code)
{
	struct launch_view *v = launch_view(l);

	v->exit_code = code;
	if (v->output)
		output_finish(v->output);
	else
		loop_stop(v->loop);
}
