/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The phases that start what the plan adds to this node's processes, such as a
 * scheduler (service_process()), and wait until it answers. When that takes
 * too long the step is ended. Where each node has a service, that of the first
 * node is there before the others begin. The first one makes the secret of the
 * step's services (l->made.secret), too.
 *
 * A service that ends when it isn't waited for any more is none of ours. One
 * that hasn't answered yet ends the step, with the reason that it gave itself
 * or with a line.
 */
#include "core/env/process_env.h"
#include "core/facts/handover.h"
#include "core/plan/framework.h"
#include "helpers/launch/launch.h"
#include "helpers/part/launch_tell.h"
#include "helpers/part/part.h"
#include "helpers/part/phase.h"
#include "helpers/procs/readiness.h"
#include "helpers/services/bundled_server.h"
#include "sys/helper_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "s"

/* What a helper in the user's place doesn't inherit. */
static const char *const not_of_helpers[] = {
	HANDOVER_PREFIX,
	PRELOAD_VARIABLE "=",
	NULL,
};

struct running_service {
	struct readiness waiting;
	int input; /* it ends when this pipe closes; -1: it has none */
};

/* What the service executes; argv points into the struct. */
struct command {
	struct bundled_server server;
	char port[16];
	char **argv; /* NULL; freed with the struct */
};

static void cleanup_command(struct command *c)
{
	free(c->argv);
}

/* The program, its arguments, the words of the user's command. */
static int put_words(struct command *c, char *const first[],
		     char *const command[], struct err *err)
{
	size_t n = 0, ncommand = 0;

	while (first[n])
		n++;
	while (command[ncommand])
		ncommand++;
	c->argv = calloc(n + ncommand + 1, sizeof(*c->argv));
	if (!c->argv)
		return err_memory(err);
	memcpy(c->argv, first, n * sizeof(*first));
	memcpy(c->argv + n, command, ncommand * sizeof(*command));
	return 0;
}

/* A helper gets the coordinator's address and port; one in Python the user's
 * command, too, in which it may find its packages. */
static int choose_program(const struct launch *l, struct spawn *s,
			  struct command *c, struct err *err)
{
	const struct service *service = &l->plan.service;
	char *addr = (char *)l->plan.coordinator.addr;

	if (!service->helper)
		return 0; /* the user's program */
	snprintf(c->port, sizeof(c->port), "%u", l->plan.coordinator.port);
	if (service->python) {
		if (bundled_server_command(service->helper, l->argv,
					   getenv("PATH"), addr, c->port,
					   &c->server, err) < 0)
			return -1;
		if (put_words(c, c->server.argv, l->argv, err) < 0)
			return -1;
		s->child.file = c->server.python;
		s->child.argv = c->argv;
		return 0;
	}
	helper_path(service->helper, c->server.server);
	if (put_words(c, (char *[]){c->server.server, addr, c->port, NULL},
		      (char *[]){NULL}, err) < 0)
		return -1;
	s->child.file = c->server.server;
	s->child.argv = c->argv;
	s->without = not_of_helpers;
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

/* Its standard streams; *ret_ready is where it says that it is ready, or stays
 * as it was. */
static int make_streams(struct launch *l, struct spawn *s, int *ret_ready,
			struct err *err)
{
	const struct service *service = &l->plan.service;
	int *input = &l->service->input;

	if (spawn_attach(l, s, err) < 0)
		return -1;
	if (service->reports_ready) {
		close_fd(&s->child.out);
		if (make_pipe(ret_ready, &s->child.out, err) < 0)
			return -1;
	}
	if (!service->secret)
		return input_attach(l->input, s->index, !service->helper,
				    &s->child.in, err);
	if (make_pipe(&s->child.in, input, err) < 0)
		return -1;
	if (dprintf(*input, "%s\n", l->made.secret) < 0)
		return err_printf(err, "can't write to a pipe: %s",
				  strerror(errno));
	return 0;
}

/* A folder for what it writes. It never gets the launcher's own, which keeps
 * others out: Ray, and each of its workers, opens what it gets to everybody. */
static int make_folder(const struct launch *l, struct spawn *s, struct err *err)
{
	int above = l->run_dir.fd;

	if (!*l->run_dir.path)
		return 0;
	/* also where the user's umask takes from the owner */
	if ((mkdirat(above, FOLDER, 0700) < 0 && errno != EEXIST) ||
	    fchmodat(above, FOLDER, 0700, 0) < 0)
		return err_printf(err,
				  "can't make the folder %s/" FOLDER ": %s",
				  l->run_dir.path, strerror(errno));
	return envset_add(&s->set, ENV_OURS, "launcher", err,
			  "DIST_TRAIN_RUN_DIR", "%s/" FOLDER, l->run_dir.path);
}

/* Who it is and its environment; shown if that is asked for. */
static int make_process(struct launch *l, struct spawn *s, struct err *err)
{
	if (service_process(&l->plan, &s->process, err) < 0 ||
	    process_env(&l->plan, &s->process, &s->set, err) < 0 ||
	    make_folder(l, s, err) < 0)
		return -1;
	return spawn_show(l, s, err);
}

static int show(struct launch *l, struct err *err)
{
	SPAWN struct spawn s;

	spawn_init(l, l->plan.nprocs, &s);
	return l->plan.service.here ? make_process(l, &s, err) : 0;
}

static void service_answers(void *arg)
{
	phase_done(arg);
}

static void service_is_late(void *arg)
{
	struct launch *l = arg;
	char name[SERVICE_NAME_SIZE], why[512];

	snprintf(why, sizeof(why),
		 "service %s on %s doesn't answer at port %u after %ld s (key "
		 "timeout)",
		 service_name(&l->plan, name), l->job.node_name,
		 l->plan.coordinator.port,
		 request_seconds(&l->request, KEY_TIMEOUT));
	launch_fail(l, why);
}

/* Replica groups can't do without it, and it isn't one group's. */
static void say_service_lost(struct launch *l, const struct proc *proc)
{
	char name[SERVICE_NAME_SIZE], why[512];

	snprintf(why, sizeof(why),
		 "service %s on %s, pid %d, ended with exit code %d while "
		 "replica groups needed it",
		 service_name(&l->plan, name), l->job.node_name, proc->pid,
		 proc_exit_code(proc));
	launch_fail(l, why);
}

/* Its failure is the step's (MSG_FAILED); an exit of 0 is one only here. */
static void on_ended(struct launch *l, const struct proc *proc)
{
	char name[SERVICE_NAME_SIZE], why[512];

	if (!l->service || !proc->process.added)
		return;
	if (!readiness_is_awaited(&l->service->waiting)) {
		if (l->procs.keeps_added)
			say_service_lost(l, proc);
		return;
	}
	readiness_end(&l->service->waiting);
	if (proc_exit_code(proc) != 0)
		return;
	snprintf(why, sizeof(why),
		 "service %s on %s, pid %d, ended with exit code 0 before it "
		 "answered at port %u; a service has to run until the "
		 "training is done",
		 service_name(&l->plan, name), l->job.node_name, proc->pid,
		 l->plan.coordinator.port);
	launch_fail(l, why);
}

const struct part service_part = {.name = "service", .ended = on_ended};

/* `ready_fd` is the callee's from now on. */
static int wait_for_answer(struct launch *l, int ready_fd, struct err *err)
{
	const struct coordinator *c = &l->plan.coordinator;
	struct readiness *w = &l->service->waiting;
	long timeout_s = request_seconds(&l->request, KEY_TIMEOUT);

	w->loop = &l->loop;
	w->ready = service_answers;
	w->late = service_is_late;
	w->arg = l;
	if (l->plan.service.reports_ready)
		return readiness_of_word(w, ready_fd, timeout_s, err);
	return readiness_of_port(w, c->addr, c->port, timeout_s, err);
}

static int start_service(struct launch *l, struct err *err)
{
	__attribute__((cleanup(cleanup_command))) struct command command = {
		.argv = NULL};
	int ready_fd = -1, rc;
	SPAWN struct spawn s;

	spawn_init(l, l->plan.nprocs, &s);
	if (make_process(l, &s, err) < 0 ||
	    choose_program(l, &s, &command, err) < 0)
		return -1;
	rc = make_streams(l, &s, &ready_fd, err);
	if (rc == 0)
		rc = spawn_start(l, &s, err);
	if (rc == 0)
		return wait_for_answer(l, ready_fd, err);
	close_fd(&ready_fd);
	return -1;
}

static enum phase_state start_if(struct launch *l, bool ours, struct err *err)
{
	if (!ours)
		return PHASE_DONE;
	return start_service(l, err) < 0 ? PHASE_FAILED : PHASE_WAITS;
}

/* What the step's services share, and the program that uses them: a secret,
 * and a certificate where they take one. */
static int make_secret(struct launch *l, struct err *err)
{
	const char *purpose = l->request.framework->name;
	struct cert_files *files = &l->made.cert_files;

	if (!l->plan.serves)
		return 0;
	if (session_secret(l->view.session, purpose, l->made.secret, err) < 0)
		return -1;
	l->plan.secret = l->made.secret;
	if (!(l->plan.resolved.needs & NEEDS_CERTIFICATE))
		return 0;
	if (cert_files_make(l->run_dir.path, l->made.secret, &l->plan, files,
			    err) < 0)
		return -1;
	cert_files_tell(files, &l->plan);
	return 0;
}

static enum phase_state begin(struct launch *l, struct err *err)
{
	const struct service *service = &l->plan.service;

	l->service = calloc(1, sizeof(*l->service));
	if (!l->service)
		return err_memory(err);
	l->service->input = -1;
	if (make_secret(l, err) < 0)
		return PHASE_FAILED;
	return start_if(l,
			service->here &&
				(!service->in_turn || l->plan.node_rank == 0),
			err);
}

static enum phase_state begin_other_nodes(struct launch *l, struct err *err)
{
	return start_if(l, l->plan.service.here && l->plan.node_rank > 0, err);
}

static void end(struct launch *l)
{
	if (!l->service)
		return;
	readiness_end(&l->service->waiting);
	close_fd(&l->service->input);
	free(l->service);
	l->service = NULL;
}

static bool starts_together(const struct plan *plan)
{
	return plan->needs_go;
}

const struct phase service_phase = {
	.name = "service",
	.wanted = starts_together,
	.show = show,
	.begin = begin,
	.leave = end,
	.end = end,
	.meets = true,
	.each_world = true,
};

static bool are_in_turn(const struct plan *plan)
{
	return plan->service.in_turn;
}

const struct phase other_services_phase = {
	.name = "services of other nodes",
	.wanted = are_in_turn,
	.begin = begin_other_nodes,
	.meets = true,
};
