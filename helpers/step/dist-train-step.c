/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dist-train-step: the controller of a step (controller.h), for which all
 * launchers are alike. That of task 0 starts it, with a port that is bound, and
 * it ends with that one. It makes the plan of task 0 from the same facts.
 *
 *	dist-train-step PORT_FD -- PROGRAM [ARG]...
 *
 * Slurm signals all processes of a step: it ignores every signal that it can,
 * and ends when all launchers have left.
 */
#include "core/base/parse.h"
#include "helpers/arbiter/arbiter.h"
#include "helpers/channel/server.h"
#include "helpers/channel/session.h"
#include "helpers/output/timeline.h"
#include "helpers/step/controller.h"
#include "registry/handed.h"
#include "sys/own_env.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct host {
	struct config config;
	struct request request;
	struct job job;
	struct job_of_nodes by_node;
	struct plan plan;
	struct loop loop;
	struct timeline timeline;
	struct controller controller;
	struct session *session;
	struct subscription told;
};

/* --- lines for the user --- */

/* By a launcher: its output tears no worker's line. */
static void on_say(void *arg, const char *lines)
{
	struct host *h = arg;
	struct server *server = session_server(h->session);
	unsigned n = h->controller.members->ntasks, i = 0;

	while (server && i < n && !server_has(server, i))
		i++;
	if (server && i < n)
		server_tell(server, i, MSG_SAY, lines, strlen(lines));
	else
		fputs(lines, stderr);
}

static void on_said(void *arg, const char *lines)
{
	struct host *h = arg;

	on_say(h, lines);
	record_said(&h->controller, lines);
}

/* --- what happens --- */

/* ROUND [ADDRESS] */
static void go_on(struct host *h, const char *text)
{
	long round;

	if (message_number(&text, 0, INT_MAX, &round) < 0 ||
	    round <= h->job.round)
		return;
	h->job.round = (unsigned)round;
	controller_round(&h->controller);
}

static void over(struct host *h, const char *text)
{
	long code = EXIT_FAILURE;

	message_number(&text, 0, UCHAR_MAX, &code);
	controller_over(&h->controller, (int)code);
	controller_close(&h->controller);
}

static void on_message(void *arg, char type, const char *data, size_t n)
{
	(void)n;
	if (type == MSG_GO)
		go_on(arg, data);
	else if (type == MSG_END || type == MSG_DONE)
		controller_leave(&((struct host *)arg)->controller);
	else if (type == MSG_LEAVE)
		over(arg, data);
}

static void on_over(void *arg)
{
	loop_stop(&((struct host *)arg)->loop);
}

static void on_failed(void *arg, const char *node, int code, const char *why)
{
	record_first_failure(&((struct host *)arg)->controller, node, code,
			     why);
}

static void on_end_time(void *arg, int64_t seconds)
{
	controller_end_time(&((struct host *)arg)->controller, seconds);
}

/* TERM INT: who hasn't come by now, and may never have been started, isn't
 * waited for. */
static void on_told(void *arg, unsigned member, const char *text)
{
	struct host *h = arg;
	struct arbiter *arbiter = controller_arbiter(&h->controller);
	long term = 0, interrupted = 0;

	message_number(&text, 0, 1, &term);
	message_number(&text, 0, 1, &interrupted);
	if (interrupted && arbiter)
		arbiter_interrupted(arbiter);
	if (!member && arbiter)
		arbiter_wait_no_more(arbiter);
	if (!term)
		return;
	session_told_by_slurm(h->session);
	controller_told_by_slurm(&h->controller);
}

/* --- its begin and its end --- */

static int read_facts(struct host *h, char **argv, struct err *err)
{
	if (handed_read(own_env, NULL, &h->config, &h->request, &h->job, err) <
	    0)
		return -1;
	h->job.command = argv;
	return plan_make(&h->request, &h->config, &h->job, &h->plan, err);
}

static int open_controller(struct host *h, const char *program, struct err *err)
{
	h->controller = (struct controller){
		.parts = step_parts,
		.loop = &h->loop,
		.plan = &h->plan,
		.job = &h->job,
		.step = &h->job,
		.members = &h->job,
		.program = program,
		.timeline = &h->timeline,
		.say = on_say,
		.arg = h,
	};
	if (h->plan.resolved.node_launcher)
		h->controller.members =
			job_of_nodes(&h->job, h->plan.node_rank, &h->by_node);
	if (timeline_join(&h->timeline, &h->plan, h->job.nodeid, err) < 0)
		return -1;
	return controller_open(&h->controller, err);
}

static int open_session(struct host *h, int listen_fd, struct err *err)
{
	struct session_options options = {
		.loop = &h->loop,
		.plan = &h->plan,
		.job = h->controller.members,
		.config = &h->config,
		.listen_fd = listen_fd,
		.over = on_over,
		.needs_go = h->plan.needs_go,
		.message = on_message,
		.told = &h->told,
		.visits = controller_visits(&h->controller),
		.failed = on_failed,
		.end_time = on_end_time,
		.say = on_said,
		.arg = h,
	};

	h->told = (struct subscription){
		.type = MSG_TOLD,
		.take = on_told,
		.arg = h,
		.shares = true,
		.next = controller_told(&h->controller),
	};
	h->session = session_open(&options, err);
	h->controller.session = h->session;
	return h->session ? 0 : -1;
}

static int run(struct host *h, int argc, char **argv, struct err *err)
{
	long listen_fd;

	if (argc < 4 || parse_number(argv[1], 3, INT_MAX, &listen_fd) < 0)
		return err_printf(err, "dist-train-step is started by "
				       "dist-train-launch");
	if (read_facts(h, argv + 3, err) < 0 || loop_open(&h->loop, err) < 0 ||
	    open_controller(h, argv[3], err) < 0 ||
	    open_session(h, (int)listen_fd, err) < 0)
		return -1;
	return loop_run(&h->loop, err);
}

static void clear(struct host *h)
{
	h->controller.session = NULL;
	session_close(h->session);
	controller_close(&h->controller);
	timeline_close(&h->timeline);
	loop_close(&h->loop);
	job_clear(&h->job);
	request_clear(&h->request);
	config_clear(&h->config);
}

/* And nobody waits for its children, which the kernel removes. */
static void be_deaf(void)
{
	for (int sig = 1; sig <= SIGRTMAX; sig++)
		if (sig != SIGKILL && sig != SIGSTOP)
			signal(sig, SIG_IGN);
}

int main(int argc, char **argv)
{
	struct host h = {.loop.epoll_fd = -1, .timeline.fd = -1};
	struct err err;
	int rc;

	be_deaf();
	rc = run(&h, argc, argv, &err);
	clear(&h);
	return rc < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
