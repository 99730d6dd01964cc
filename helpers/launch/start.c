/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The phase that starts the plan's processes on this node, again in each round.
 * When one can't be started the step is ended; others may run by then. And the
 * phase of a node without a process, which says so with the key explain, once.
 */
#include "core/env/process_env.h"
#include "core/explain/explain.h"
#include "core/facts/handover.h"
#include "core/plan/framework.h"
#include "helpers/keepers/keepers.h"
#include "helpers/launch/launch.h"
#include "helpers/part/launch_tell.h"
#include "helpers/part/note.h"
#include "helpers/part/part.h"
#include "helpers/part/phase.h"
#include "helpers/ranktable/exchange_pmix.h"
#include "helpers/services/bundled_server.h"
#include "sys/early/early_listener.h"
#include "sys/helper_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The program is a file of roles: on each node runs what starts its worlds
 * (helpers/roles). */

#define ROLES "dist-train-roles"

static const char *const no_name[] = {NULL};

struct role_notes {
	struct loop_watch notes;
};

/* ROUND NODE EVENT MORE: the controller looks at it. */
static void on_note(void *arg, uint32_t events)
{
	struct launch *l = arg;
	struct role_notes *r = own_of(l, &roles_part);
	char text[NOTE_MAX + 1];
	ssize_t n = read(r->notes.fd, text, NOTE_MAX);

	(void)events;
	if (n <= 0) {
		loop_remove(&l->loop, &r->notes);
		return;
	}
	text[n] = '\0';
	if (note_is_kept(&l->plan) && l->view.session)
		launch_send(l, MSG_NOTE, text);
}

/* Ours stays open until the end. */
static int open_socket(struct launch *l, int *ret_its, struct err *err)
{
	struct role_notes *r = own_of(l, &roles_part);
	int fd[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd) < 0)
		return err_printf(err, "can't make a socket: %s",
				  strerror(errno));
	*ret_its = fd[0];
	r->notes = (struct loop_watch){.fd = fd[1], .ready = on_note, .arg = l};
	return loop_watch(&l->loop, &r->notes, EPOLLIN, err);
}

/* What it is to run: its file and argv, which are the caller's. It gets all
 * that we were handed, and its standard input is a socket: from there it has as
 * a first line a word that all nodes have; what it writes there is for the
 * step's record. Returns 0 or -1. */
static int roles_start(struct launch *l, struct spawn *s, char file[PATH_MAX],
		       char ***ret_argv, struct err *err)
{
	const struct role_notes *r = own_of(l, &roles_part);
	char *word = l->made.secret;

	if (session_secret(l->view.session, "roles", word, err) < 0 ||
	    envset_add(&s->set, ENV_OURS, "launcher", err, "DIST_TRAIN_RUN_DIR",
		       "%s", l->run_dir.path) < 0 ||
	    open_socket(l, &s->child.in, err) < 0)
		return -1;
	if (write(r->notes.fd, word, SEAL_WORD_SIZE) != SEAL_WORD_SIZE)
		return err_printf(err, "can't write to a socket: %s",
				  strerror(errno));
	*ret_argv = calloc(3, sizeof(**ret_argv));
	if (!*ret_argv)
		return err_memory(err);
	helper_path(ROLES, file);
	(*ret_argv)[0] = (char *)ROLES;
	(*ret_argv)[1] = l->argv[0];
	s->child.file = file;
	s->child.argv = *ret_argv;
	s->without = no_name;
	return 0;
}

/* --- the part --- */

static bool has_roles(const struct plan *plan)
{
	return plan->request->framework->program_is_file;
}

/* What it has said last is read, too. */
static void close_notes(struct launch *l)
{
	struct role_notes *r = own_of(l, &roles_part);

	if (r->notes.fd <= 0)
		return;
	while (r->notes.added &&
	       recv(r->notes.fd, &(char){0}, 1, MSG_PEEK | MSG_DONTWAIT) > 0)
		on_note(l, 0);
	loop_remove(&l->loop, &r->notes);
	close(r->notes.fd);
	r->notes.fd = -1;
}

static void ended(struct launch *l, const struct proc *unused)
{
	(void)unused;
	close_notes(l);
}

const struct part roles_part = {
	.name = "roles",
	.wanted = has_roles,
	.size = sizeof(struct role_notes),
	.close = close_notes,
	.ended = ended,
};

/* --- who listens until the program does --- */

struct held {
	int fd;
	unsigned port;
	pid_t owner;
};

static int hold(const int fd[2], const void *arg)
{
	const struct held *held = arg;

	(void)fd;
	early_listener_hold(held->fd, held->port, held->owner);
	return 0;
}

/* The process has been started: where the plan wants it
 * (core/plan/plan.c), a child of ours listens on the coordinator's port
 * until the process does or ends. What fails is left. */
static void early_server_start(struct launch *l, const struct spawn *s)
{
	unsigned port = l->plan.coordinator.port;
	bool wanted =
		plan_listens_early(&l->plan, &s->process, &s->set, l->program);
	cleanup_close int fd = wanted ? early_listener_open(port) : -1;
	struct held held = {fd, port, l->procs.proc[s->index].pid};
	struct subprocess_spec spec = {
		.run = hold,
		.arg = &held,
		.flags = SUBPROCESS_NULL | SUBPROCESS_GROUP | SUBPROCESS_BESIDE,
		.keeps = fd,
	};
	struct subprocess sub;
	struct err unused;

	if (fd >= 0 && subprocess_start(&spec, &sub, &unused) == 0)
		subprocess_close(&sub);
}

/* --- processes --- */

/* In task mode the one process has the task's place, its PMI too. */
static const char *const hand_over_only[] = {HANDOVER_PREFIX, NULL};

/* Of the script's command, whose output the processes write to; -1: none. */
struct command_output {
	int out, err;
};

/* What is run instead of the user's own command line. */
struct command {
	struct bundled_server server;
	struct argset args;
	char **argv; /* the user's with `args` after */
	char roles[PATH_MAX];
};

static void cleanup_command(struct command *c)
{
	argset_clear(&c->args);
	free(c->argv);
}

/* With what an srun in the program isn't one of ours; one without the plugin
 * never is. */
static int turn_off(const struct launch *l, struct envset *set, struct err *err)
{
	char off[sizeof(l->config.option) + 16] = "";

	if (!getenv(HANDOVER_EXEC))
		snprintf(off, sizeof(off), "--%s=none", l->config.option);
	return envset_add(set, ENV_OURS, "for an srun in the program", err,
			  "DIST_TRAIN_OFF", "%s", off);
}

/* What only the launcher can know: where torch may leave an exception, and the
 * folder in which `ssh` is our stand-in. */
static int add_own(struct launch *l, struct spawn *s, struct err *err)
{
	char path[ERROR_FILE_SIZE];

	if (table_uses_pmix(l) && !l->plan.resolved.device_mode &&
	    envset_add(&s->set, ENV_HINT, "as the launcher's own PMIx had it",
		       err, PMIX_STORE_VARIABLE, "%s", PMIX_STORE) < 0)
		return -1;
	launch_error_file(l, s->process.rank, path, sizeof(path));
	if (*path && envset_add(&s->set, ENV_HINT, "launcher", err,
				ERROR_FILE_VARIABLE, "%s", path) < 0)
		return -1;
	if (parts_env(l, &s->process, &s->set, err) < 0)
		return -1;
	if (!*l->made.host_files.hosts)
		return 0;
	if (turn_off(l, &s->set, err) < 0)
		return -1;
	return spawn_prepend_path(l, s, "ssh is a stand-in", err);
}

/* Who it is and its environment; shown if that is asked for. */
static int make_process(struct launch *l, struct spawn *s, struct err *err)
{
	struct process *p = &s->process;

	if (plan_process(&l->plan, s->index, p, err) < 0)
		return -1;
	if (l->plan.resolved.npu &&
	    plan_npus_apply(&l->plan, &l->npus, s->index, p, err) < 0)
		return -1;
	if (!l->plan.resolved.npu)
		npu_task_see_step(&l->plan, &p->devices);
	bind_tell(&l->bind, s->index, p);
	if (process_env(&l->plan, p, &s->set, err) < 0 ||
	    add_own(l, s, err) < 0)
		return -1;
	return spawn_show(l, s, err);
}

/* A server of ours in the place of the user's program, where this process is
 * to be one; else the program, with what the framework or the dialect adds. */
static int choose_program(struct launch *l, struct spawn *s,
			  struct command *command, struct err *err)
{
	const struct framework *fw = l->request.framework;
	const char *server =
		fw->server ? fw->server(&l->plan, &s->process) : NULL;

	if (fw->program_is_file)
		return roles_start(l, s, command->roles, &command->argv, err);
	if (!server) {
		if (process_args(&l->plan, &s->process, &command->args, err) <
		    0)
			return -1;
		command->argv = argset_behind(&command->args, l->argv);
		s->child.argv = command->argv;
		return command->argv ? 0 : err_memory(err);
	}
	if (bundled_server_command(server, l->argv, getenv("PATH"), NULL, NULL,
				   &command->server, err) < 0)
		return -1;
	s->child.file = command->server.python;
	s->child.argv = command->server.argv;
	return 0;
}

/* A server of ours doesn't; what a script starts leaves it to the script. */
static bool reads_input(const struct launch *l, const struct command *command)
{
	return !*command->server.server && !l->plan.start_command;
}

static int run_process(struct launch *l, struct spawn *s,
		       const struct command_output *output, struct err *err)
{
	__attribute__((cleanup(cleanup_command))) struct command command = {
		.argv = NULL};
	const struct bind_share *bound = bind_share(&l->bind, s->index);
	struct timeline_who who;
	int rc;

	if (!l->plan.resolved.device_mode && !l->plan.resolved.run_first)
		s->without = hand_over_only;
	s->child.cpus = bound ? &bound->cpus : NULL;
	s->child.memory = bound ? &bound->memory : NULL;
	s->child.ignores_term = own_of(l, &ending_part);
	s->child.own_group = input_lacks_terminal(l->input, s->index);
	s->child.exits_as_shell = l->job.world; /* for the roles' director */
	if (choose_program(l, s, &command, err) < 0 ||
	    spawn_attach(l, s, err) < 0 ||
	    (s->child.in < 0 &&
	     input_attach(l->input, s->index, reads_input(l, &command),
			  &s->child.in, err) < 0))
		return -1;
	if (!l->view.output) {
		s->child.out = output->out;
		s->child.err = output->err;
	}
	rc = spawn_start(l, s, err);
	if (!l->view.output)
		s->child.out = s->child.err = -1; /* for the next one */
	if (rc < 0)
		return -1;
	early_server_start(l, s);
	who = timeline_who(&l->plan, &s->process);
	timeline_event(&l->timeline, &who, PHASE_STARTING, "");
	return 0;
}

/* With `output` NULL: show them all. */
static int each_process(struct launch *l, const struct command_output *output,
			struct err *err)
{
	bool none = l->request.framework->once && l->plan.first_rank > 0;

	for (unsigned i = 0; i < l->plan.nprocs && !none; i++) {
		SPAWN struct spawn s;

		spawn_init(l, i, &s);
		if (make_process(l, &s, err) < 0)
			return -1;
		if (output && run_process(l, &s, output, err) < 0)
			return -1;
	}
	return 0;
}

static bool shows_spare(const struct plan *plan)
{
	return plan->spare && plan->job->localid == 0 &&
	       request_word(plan->request, KEY_EXPLAIN) != EXPLAIN_NO;
}

static int show_spare(struct launch *l, struct err *err)
{
	bool only = request_word(&l->request, KEY_EXPLAIN) == EXPLAIN_ONLY;
	cleanup_free char *text = explain_spare(&l->plan, err);

	if (!text)
		return -1;
	fputs(text, only ? stdout : stderr);
	fflush(only ? stdout : stderr);
	return 0;
}

static enum phase_state begin_spare(struct launch *l, struct err *err)
{
	return show_spare(l, err) < 0 ? PHASE_FAILED : PHASE_DONE;
}

const struct phase spare_phase = {
	.name = "spare",
	.wanted = shows_spare,
	.show = show_spare,
	.begin = begin_spare,
	.of_spares = true,
};

static int show(struct launch *l, struct err *err)
{
	return each_process(l, NULL, err);
}

static enum phase_state begin(struct launch *l, struct err *err)
{
	cleanup_close int out = -1, error = -1;
	char up[16];

	script_take_output(l, &out, &error);
	if (each_process(l, &(struct command_output){out, error}, err) < 0 ||
	    node_tasks_start(l, err) < 0)
		return PHASE_FAILED;
	snprintf(up, sizeof(up), "%u",
		 l->plan.nprocs + node_tasks_others(&l->plan));
	launch_send(l, MSG_UP, up);
	parts_run(l);
	procs_complete(&l->procs);
	if (!l->plan.nprocs) /* it only waits for the others */
		l->procs.all_ended(l->procs.arg);
	return PHASE_DONE;
}

const struct phase start_phase = {
	.name = "start",
	.show = show,
	.begin = begin,
	.each_round = true,
};
