/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/launch/launch.h"

#include "core/base/cleanup.h"
#include "core/plan/framework.h"
#include "core/plan/process_env.h"
#include "core/plan/service.h"
#include "helpers/launch/bundled_server.h"
#include "sys/child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is made for its start, and closed after it. */
struct start {
	struct child child;
	struct bundled_server stock;
	char port[16];
	char *argv[4];
	int in, out, error; /* of the child; 0, -1, -1: ours */
	int word;	    /* to hear from; -1 */
};

static void cleanup_start(struct start *s)
{
	if (s->in > 0)
		close(s->in);
	if (s->out >= 0)
		close(s->out);
	if (s->error >= 0)
		close(s->error);
	if (s->word >= 0)
		close(s->word);
	child_free_env((char **)s->child.env);
}

/* A helper gets the coordinator's address and port. */
static int find_program(const struct launch *l, struct start *s,
			struct err *err)
{
	const struct coordinator *c = &l->plan.coordinator;
	const struct service *service = &l->plan.service;

	snprintf(s->port, sizeof(s->port), "%u", c->port);
	s->child.file = l->program;
	s->child.argv = l->argv;
	if (!service->helper)
		return 0;
	s->child.argv = service->python ? s->stock.argv : s->argv;
	if (service->python) {
		if (bundled_server_command(service->helper, l->argv,
					   getenv("PATH"), &s->stock, err) < 0)
			return -1;
		s->child.file = s->stock.python;
		s->stock.argv[2] = (char *)c->addr;
		s->stock.argv[3] = s->port;
		return 0;
	}
	snprintf(s->stock.server, sizeof(s->stock.server), "%s/%s",
		 PKGLIBEXECDIR, service->helper);
	s->child.file = s->argv[0] = s->stock.server;
	s->argv[1] = (char *)c->addr;
	s->argv[2] = s->port;
	return 0;
}

static int make_pipe(int *ret_read, int *ret_write, struct err *err)
{
	int fd[2];

	if (pipe2(fd, O_CLOEXEC) < 0)
		return err_printf(err, "can't make a pipe: %s",
				  strerror(errno));
	*ret_read = fd[0];
	*ret_write = fd[1];
	return 0;
}

/* Standard input, output and error. */
static int make_streams(struct launch *l, const struct process *process,
			struct start *s, struct err *err)
{
	const struct service *service = &l->plan.service;

	if (l->output && output_attach(l->output, l->plan.nprocs, process,
				       &s->out, &s->error, err) < 0)
		return -1;
	if (service->reports_ready) {
		if (s->out >= 0)
			close(s->out);
		s->out = -1;
		if (make_pipe(&s->word, &s->out, err) < 0)
			return -1;
	}
	if (!service->secret)
		return 0;
	if (make_pipe(&s->in, &l->service_in, err) < 0)
		return -1;
	if (dprintf(l->service_in, "%s\n", l->secret) < 0)
		return err_printf(err, "can't write to a pipe: %s",
				  strerror(errno));
	return 0;
}

/* Its environment, met with the user's, and shown if that is asked for. */
static int make_env(struct launch *l, struct process *process,
		    struct envset *set, struct err *err)
{
	bool overwrite = request_yes(&l->request, KEY_OVERWRITE);

	if (service_process(&l->plan, process, err) < 0 ||
	    process_env(&l->plan, process, set, err) < 0)
		return -1;
	if (*l->run_dir.path &&
	    envset_add(set, ENV_OURS, "launcher", err, "DIST_TRAIN_RUN_DIR",
		       "%s", l->run_dir.path) < 0)
		return -1;
	envset_resolve(set, launch_env, NULL, overwrite, l->stale);
	return launch_show(l, process, set, err);
}

int launch_service_show(struct launch *l, struct err *err)
{
	struct envset set = {0};
	struct process process;
	int rc = 0;

	if (l->plan.service.here)
		rc = make_env(l, &process, &set, err);
	envset_clear(&set);
	return rc;
}

static void is_ready(void *arg)
{
	launch_ready(arg);
}

static void is_late(void *arg)
{
	struct launch *l = arg;
	char name[SERVICE_NAME_SIZE], why[512];

	snprintf(why, sizeof(why),
		 "service %s on %s doesn't answer at port %u after %ld s (key "
		 "timeout)",
		 service_name(&l->plan, name), l->job.node_name,
		 l->plan.coordinator.port,
		 request_seconds(&l->request, KEY_TIMEOUT));
	launch_stop(l, EXIT_FAILURE, 0, why);
}

static int wait_for(struct launch *l, struct start *s, struct err *err)
{
	const struct coordinator *c = &l->plan.coordinator;
	long timeout_s = request_seconds(&l->request, KEY_TIMEOUT);
	int fd = s->word;

	l->waiting.loop = &l->loop;
	l->waiting.ready = is_ready;
	l->waiting.late = is_late;
	l->waiting.arg = l;
	if (!l->plan.service.reports_ready)
		return readiness_of_port(&l->waiting, c->addr, c->port,
					 timeout_s, err);
	s->word = -1;
	return readiness_of_word(&l->waiting, fd, timeout_s, err);
}

static int start_it(struct launch *l, struct start *s, struct err *err)
{
	struct envset set = {0};
	struct process process;
	pid_t pid = -1;
	int rc = make_env(l, &process, &set, err);

	if (rc == 0)
		s->child.env = child_env(&set, launch_not_inherited);
	envset_clear(&set);
	if (rc < 0)
		return -1;
	if (!s->child.env)
		return err_memory(err);
	if (find_program(l, s, err) < 0 ||
	    make_streams(l, &process, s, err) < 0)
		return -1;
	s->child.in = s->in;
	s->child.out = s->out;
	s->child.err = s->error;
	pid = child_start(&s->child, err);
	if (pid < 0)
		return -1;
	procs_started(&l->procs, l->plan.nprocs, &process, pid);
	return wait_for(l, s, err);
}

static bool is_our_turn(const struct launch *l)
{
	const struct service *service = &l->plan.service;

	return service->here &&
	       (!service->in_turn || l->others_turn == (l->plan.node_rank > 0));
}

static int take_turn(struct launch *l, struct err *err)
{
	__attribute__((cleanup(cleanup_start))) struct start s = {
		.out = -1,
		.error = -1,
		.word = -1,
	};

	if (is_our_turn(l))
		return start_it(l, &s, err);
	is_ready(l);
	return 0;
}

int launch_next_service(struct launch *l, struct err *err)
{
	if (!l->plan.service.in_turn || l->others_turn)
		return 0;
	l->others_turn = true;
	return take_turn(l, err) < 0 ? -1 : 1;
}

static int first_turn(struct launch *l, struct err *err)
{
	const char *purpose = l->request.framework->name;

	if (l->plan.serves &&
	    session_secret(l->session, purpose, l->secret, err) < 0)
		return -1;
	l->plan.secret = *l->secret ? l->secret : NULL;
	return take_turn(l, err);
}

void launch_serve(struct launch *l)
{
	struct err err;

	if (first_turn(l, &err) < 0)
		launch_stop(l, EXIT_FAILURE, 0, err.text);
}

void launch_service_end(struct launch *l)
{
	readiness_end(&l->waiting);
	if (l->service_in > 0)
		close(l->service_in);
	l->service_in = 0;
}
