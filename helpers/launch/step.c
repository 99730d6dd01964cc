/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/launch/step.h"

#include "core/base/cleanup.h"
#include "core/plan/framework.h"
#include "core/plan/plan.h"
#include "helpers/files/files.h"
#include "helpers/launch/launch.h"
#include "helpers/launch/launch_recorders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void launch_say(struct launch *l, const char *lines)
{
	if (l->view.output)
		output_say(l->view.output, lines);
	else
		own_lines_say(&l->own_lines, lines);
}

void launch_send(struct launch *l, enum message type, const char *text)
{
	session_send(l->view.session, (char)type, text, strlen(text));
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

	return session_no_channel(l->view.session, &why) ? why : NULL;
}

void launch_leave(struct launch *l, int code)
{
	l->view.exit_code = code;
	if (l->view.output)
		output_finish(l->view.output);
	else
		loop_stop(&l->loop);
}

/* The plan's processes read it, and a service that is the user's program. */
static unsigned count_readers(const struct plan *plan)
{
	const struct service *service = &plan->service;

	return plan->nprocs + (service->here && !service->helper);
}

int launch_input(struct launch *l, struct err *err)
{
	unsigned n = count_readers(&l->plan);

	if (n == l->nreaders && l->input)
		return input_again(l->input, err);
	input_close(l->input);
	l->nreaders = n;
	return input_open(&l->loop, STDIN_FILENO, n, &l->input, err);
}

unsigned launch_count_procs(const struct launch *l)
{
	const struct plan *plan = &l->plan;

	return plan->nprocs + plan->service.here +
	       (plan->start_command != NULL) + node_tasks_others(plan);
}

int launch_plan_again(struct launch *l, struct err *err)
{
	const struct made_for_plan *made = &l->made;

	if (plan_make(&l->request, &l->config, &l->job, &l->plan, err) < 0)
		return -1;
	l->plan.rank_table = *made->rank_table ? made->rank_table : NULL;
	l->plan.secret = *made->secret ? made->secret : NULL;
	host_files_tell(&made->host_files, &l->plan);
	recorders_tell(l);
	cert_files_tell(&made->cert_files, &l->plan);
	return 0;
}

void launch_error_file(const struct launch *l, unsigned rank, char *buf,
		       size_t size)
{
	char path[ERROR_FILE_SIZE];

	*buf = '\0';
	if (*l->run_dir.path && l->plan.resolved.needs & NEEDS_ERROR_FILE)
		snprintf(buf, size, "%s",
			 error_file_path(l->run_dir.path, rank, l->job.round,
					 path));
}
