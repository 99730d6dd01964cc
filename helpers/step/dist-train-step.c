/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dist-train-step: the controller of a step (controller.h), for which all
 * launchers are alike. It makes the plan of task 0 from the same facts.
 *
 *	dist-train-step JOB.STEP.REQUEUE
 *		beside srun, which starts it (spank/srun/step_start.h) with the
 *		ports and the line to it at fixed numbers. Task 0's launcher
 *		gives it the facts; then it leads the step. It ends with srun.
 *
 *	dist-train-step PORT_FD -- PROGRAM [ARG]...
 *		beside task 0's launcher, which starts it and gives it its own
 *		environment. It ends with that launcher.
 *
 * Slurm signals all processes of a step, a terminal those of its group: it
 * ignores every signal that it can, and ends when all launchers have left.
 */
#include "core/base/parse.h"
#include "core/facts/places.h"
#include "core/plan/recovery.h"
#include "helpers/arbiter/arbiter.h"
#include "helpers/auth/giver.h"
#include "helpers/auth/sack.h"
#include "helpers/conn/loss_lines.h"
#include "helpers/lead/lead.h"
#include "helpers/output/timeline.h"
#include "helpers/step/controller.h"
#include "helpers/step/facts_door.h"
#include "registry/registry.h"
#include "sys/child.h"
#include "sys/subprocess.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define FACTS_LEASE_S 15
#define SAID_MS	      500 /* for its last words to be sent */

/* Beside srun (spank/srun/step_start.c) */
enum { PORT_FD = 3, FACTS_FD, LINE_FD };

struct host {
	struct facts_door door;
	struct secure_conn_step step; /* for it */
	struct handed_secret given;
	struct giver *giver; /* of that, at the door; or NULL */
	char door_id[JOB_STEP_SIZE + sizeof(FACTS_DOOR)]; /* for that */
	char **command; /* words of the facts */
	unsigned nwords;
	struct loop_watch line; /* srun's end, before it leads */
	const char *name;
	struct config config;
	struct request request;
	struct job job;	   /* of this round's world */
	struct job before; /* of the one before, which somebody may still read
			    */
	struct job slurm;  /* of Slurm's step, where that isn't the world */
	struct job_of_nodes by_node;
	struct plan plan;
	struct loop loop;
	struct timeline timeline;
	struct controller controller;
	struct lead *lead;
	struct subscription told, up;
	char *kept; /* lines that nobody could say yet; or NULL */
	struct loop_timer ends;
};

/* --- lines for the user --- */

/* What was to be said when nobody was here yet. */
static void say_kept(struct host *h, unsigned member)
{
	if (h->kept)
		server_tell(lead_server(h->lead), member, MSG_SAY, h->kept,
			    strlen(h->kept));
	free(h->kept);
	h->kept = NULL;
}

static void keep_lines(struct host *h, const char *lines)
{
	char *all = NULL;

	if (asprintf(&all, "%s%s", h->kept ? h->kept : "", lines) < 0)
		return;
	free(h->kept);
	h->kept = all;
}

/* By a launcher: its output tears no worker's line. */
static void on_say(void *arg, const char *lines)
{
	struct host *h = arg;
	cleanup_free char *named = lines_of_world(lines, h->job.world);
	unsigned member =
		h->lead ? server_speaker(lead_server(h->lead)) : MEMBER_NONE;

	if (named)
		lines = named;
	if (member == MEMBER_NONE) {
		keep_lines(h, lines);
		return;
	}
	say_kept(h, member);
	server_tell(lead_server(h->lead), member, MSG_SAY, lines,
		    strlen(lines));
}

/* A launcher is here, and its processes run, or not yet. */
static void on_up(void *arg, unsigned member, const char *text)
{
	(void)text;
	say_kept(arg, member);
}

static void on_said(void *arg, const char *lines)
{
	struct host *h = arg;

	on_say(h, lines);
	record_said(&h->controller, lines);
}

/* --- what happens --- */

/* What can't be made of it stays as it is: the launchers say why. */
static int take_places(struct host *h, unsigned round, const char *text)
{
	__attribute__((cleanup(places_clear))) struct places places = {0};
	struct plan plan;
	struct job job;
	struct err err;

	if (places_parse(text, h->slurm.nnodes, &places, &err) < 0 ||
	    job_world(&h->slurm, &places, &job, &err) < 0)
		return -1;
	job.round = round;
	job_clear(&h->before);
	h->before = h->job;
	h->job = job;
	if (plan_make(&h->request, &h->config, &h->job, &plan, &err) == 0)
		h->plan = plan;
	return 0;
}

/* ROUND [PLACES]: maybe another world. */
static void begin_round(struct host *h, const char *text)
{
	long round;

	if (message_number(&text, 0, INT_MAX, &round) < 0 ||
	    round <= h->job.round ||
	    (*text && take_places(h, (unsigned)round, text) < 0))
		return;
	h->job.round = (unsigned)round;
	controller_round(&h->controller);
}

static void over(struct host *h, const char *text)
{
	long code = EXIT_FAILURE;

	message_number(&text, 0, UCHAR_MAX, &code);
	controller_over(&h->controller, (int)code);
	server_forget_host(lead_server(h->lead));
	controller_close(&h->controller);
}

static void on_message(void *arg, char type, const char *data, size_t n)
{
	(void)n;
	if (type == MSG_ROUND)
		begin_round(arg, data);
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

static bool is_unsure(const void *arg)
{
	return controller_unsure(&((const struct host *)arg)->controller);
}

static void on_end_time(void *arg, int64_t seconds)
{
	controller_end_time(&((struct host *)arg)->controller, seconds);
}

/* TERM INT: who hasn't come by now, and may never have been started, isn't
 * waited for. A world of a step with roles is told by who ends it. */
static void on_told(void *arg, unsigned member, const char *text)
{
	struct host *h = arg;
	long term = 0, interrupted = 0;

	message_number(&text, 0, 1, &term);
	message_number(&text, 0, 1, &interrupted);
	if (interrupted || (term && h->job.world))
		arbiter_interrupted(controller_arbiter(&h->controller));
	if (!member)
		lead_told_to_end(h->lead);
	if (!term)
		return;
	lead_told_by_slurm(h->lead);
	controller_told_by_slurm(&h->controller);
}

/* --- its begin and its end --- */

/* With recovery: that of round 0. */
static int find_world(struct host *h, struct err *err)
{
	struct job own;
	const struct job *world = first_world(&h->request, &h->job, &own, err);

	if (!world)
		return -1;
	if (world == &h->job)
		return 0;
	h->slurm = h->job;
	h->job = own;
	return 0;
}

static int read_facts(struct host *h, char **argv, struct err *err)
{
	char said[COMPONENTS_REMARK_SIZE]; /* by task 0's launcher */

	if (handed_read(own_env, NULL, &h->config, &h->request, &h->job, err) <
		    0 ||
	    handed_learned(own_env, NULL, &h->config, &h->request, &h->job,
			   said, err) < 0)
		return -1;
	h->job.command = argv;
	if (find_world(h, err) < 0)
		return -1;
	return plan_make(&h->request, &h->config, &h->job, &h->plan, err);
}

/* srun's host may not have the folder that the nodes have. */
static void join_timeline(struct host *h)
{
	char line[sizeof(((struct err *)0)->text) + 128];
	struct err err;

	if (timeline_join(&h->timeline, &h->plan, h->job.nodeid, &err) == 0)
		return;
	snprintf(line, sizeof(line),
		 "dist-train: %s, on the host of the step's controller: rounds "
		 "and losses aren't in the timeline\n",
		 err.text);
	on_say(h, line);
}

static int open_controller(struct host *h, const char *program,
			   bool beside_srun, struct err *err)
{
	const struct job *step = h->slurm.nnodes ? &h->slurm : &h->job;

	h->controller = (struct controller){
		.parts = step_parts,
		.loop = &h->loop,
		.plan = &h->plan,
		.job = &h->job,
		.step = step,
		.members = step,
		.program = program,
		.beside_srun = beside_srun,
		.timeline = &h->timeline,
		.say = on_say,
		.arg = h,
	};
	if (h->plan.resolved.node_launcher)
		h->controller.members =
			job_of_nodes(&h->job, h->plan.node_rank, &h->by_node);
	join_timeline(h);
	return controller_open(&h->controller, err);
}

static int open_lead(struct host *h, int listen_fd, int srun_fd,
		     struct err *err)
{
	struct lead_options options = {
		.loop = &h->loop,
		.plan = &h->plan,
		.job = h->controller.members,
		.listen_fd = listen_fd,
		.srun_fd = srun_fd,
		.secret = &h->given,
		.over = on_over,
		.needs_go = h->plan.needs_go,
		.recovery = h->plan.resolved.recovery,
		.message = on_message,
		.told = &h->told,
		.visits = controller_visits(&h->controller),
		.failed = on_failed,
		.unsure = is_unsure,
		.end_time = on_end_time,
		.say = on_said,
		.arg = h,
	};

	h->told = (struct subscription){
		.type = MSG_TOLD,
		.take = on_told,
		.arg = h,
		.shares = true,
		.next = &h->up,
	};
	h->up = (struct subscription){
		.type = MSG_UP,
		.take = on_up,
		.arg = h,
		.shares = true,
		.next = controller_told(&h->controller),
	};
	h->lead = lead_open(&options, err);
	h->controller.lead = h->lead;
	return h->lead ? 0 : -1;
}

static int begin(struct host *h, char **command, int listen_fd, int srun_fd,
		 struct err *err)
{
	if (read_facts(h, command, err) < 0 ||
	    open_controller(h, *command, srun_fd, err) < 0)
		return -1;
	return open_lead(h, listen_fd, srun_fd, err);
}

/* --- beside srun --- */

/* Where Slurm's socket is on this host is none of the facts of a node. */
static bool is_of_host(const char *name)
{
	return !strcmp(name, SACK_VARIABLE);
}

static int set_variable(void *arg, const char *name, const char *value)
{
	(void)arg;
	return is_of_host(name) ? 0 : setenv(name, value, 1);
}

static int add_word(void *arg, char *word)
{
	struct host *h = arg;
	char **more = realloc(h->command, (h->nwords + 2) * sizeof(*more));

	if (!more)
		return -1;
	h->command = more;
	more[h->nwords++] = word;
	more[h->nwords] = NULL;
	return 0;
}

/* srun's own variables aren't task 0's: what that hasn't isn't a fact. */
static void forget_own_facts(void)
{
	char name[128];
	unsigned i = 0;

	while (environ[i]) {
		snprintf(name, sizeof(name), "%.*s",
			 (int)strcspn(environ[i], "="), environ[i]);
		if (!handed_is_fact(environ[i]) || is_of_host(name) ||
		    unsetenv(name) < 0 || getenv(name))
			i++;
	}
}

/* Files may be named from there (srun --chdir). Where it isn't here, they are
 * where srun began. */
static void go_to_folder(void)
{
	const char *folder = own_env(NULL, HANDOVER_FOLDER);

	if (folder && chdir(folder) < 0)
		return;
}

static int lead(struct host *h, struct err *err)
{
	if (handed_text_read(h->door.text, h->door.n, set_variable, add_word,
			     h) < 0 ||
	    !h->nwords)
		return err_printf(err, "task 0's launcher has another release");
	go_to_folder();
	return begin(h, h->command, PORT_FD, LINE_FD, err);
}

/* First srun learns that it leads: from now on its end is the step's, and
 * nobody else starts another one. */
static void on_leads(void *arg)
{
	struct host *h = arg;
	char line[sizeof(((struct err *)0)->text) + 64];
	struct err err;

	loop_remove(&h->loop, &h->line);
	if (send(LINE_FD, SRUN_THERE, 1, MSG_NOSIGNAL) != 1) {
		loop_stop(&h->loop); /* srun has ended */
		return;
	}
	forget_own_facts();
	if (lead(h, &err) == 0)
		return;
	snprintf(line, sizeof(line), "dist-train: the step's controller: %s\n",
		 err.text);
	facts_door_say(&h->door, line);
	h->ends = (struct loop_timer){.expired = on_over, .arg = h};
	loop_arm(&h->loop, &h->ends, SAID_MS);
}

/* Nobody has given it facts, and srun has ended. */
static void on_line(void *arg, uint32_t events)
{
	struct host *h = arg;

	(void)events;
	loop_stop(&h->loop);
}

/* All of it is there already. */
static int read_secret(struct host *h)
{
	struct iovec parts[] = {
		{&h->given.secret, sizeof(h->given.secret)},
		{h->given.credential, sizeof(h->given.credential) - 1},
	};
	ssize_t n = readv(LINE_FD, parts, 2);

	return n > (ssize_t)parts[0].iov_len ? 0 : -1;
}

/* Nothing of srun's stays open. */
static void keep_own_files(void)
{
	close_others((int[]){PORT_FD, FACTS_FD, LINE_FD}, 3);
	for (int fd = PORT_FD; fd <= LINE_FD; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* Task 0's launcher may have to ask for the secret. */
static int open_giver(struct host *h, struct err *err)
{
	struct giver_options options = {
		.loop = &h->loop,
		.id = h->door_id,
		.secret = h->step.secret,
	};

	snprintf(h->door_id, sizeof(h->door_id), "%s" FACTS_DOOR, h->step.id);
	if (!auth_read(h->given.credential, &options.auth))
		return 0;
	h->giver = h->door.giver = giver_open(&options, err);
	return h->giver ? 0 : -1;
}

static int wait_for_facts(struct host *h, const char *name, struct err *err)
{
	if (read_secret(h) < 0 || sodium_init() < 0)
		return err_printf(err, "srun has told no secret");
	h->step = (struct secure_conn_step){
		.loop = &h->loop,
		.secret = h->given.secret.secret,
		.id = name,
		.lease_s = FACTS_LEASE_S,
	};
	if (open_giver(h, err) < 0)
		return -1;
	h->line =
		(struct loop_watch){.fd = LINE_FD, .ready = on_line, .arg = h};
	h->door.leads = on_leads;
	h->door.arg = h;
	if (loop_watch(&h->loop, &h->line, EPOLLIN | EPOLLRDHUP, err) < 0)
		return -1;
	return facts_door_open(&h->door, FACTS_FD, &h->step, err);
}

/* --- beside task 0's launcher --- */

static int begin_here(struct host *h, char **argv, struct err *err)
{
	char why[SECRET_WHY_SIZE] = "";
	long listen_fd;

	if (parse_number(argv[1], 3, INT_MAX, &listen_fd) < 0)
		return err_printf(err, "'%s' isn't a descriptor", argv[1]);
	step_secret_read(&h->given.secret, h->given.credential, why,
			 sizeof(why));
	if (*why || sodium_init() < 0)
		return err_printf(err, "no secret: %s", why);
	return begin(h, argv + 3, (int)listen_fd, 0, err);
}

/* --- both --- */

static int run(struct host *h, int argc, char **argv, struct err *err)
{
	int rc;

	if (argc == 2)
		keep_own_files();
	if (loop_open(&h->loop, err) < 0)
		return -1;
	if (argc == 2)
		rc = wait_for_facts(h, argv[1], err);
	else if (argc > 3)
		rc = begin_here(h, argv, err);
	else
		return err_printf(err, "dist-train-step is started by srun or "
				       "dist-train-launch");
	return rc < 0 ? -1 : loop_run(&h->loop, err);
}

static void clear(struct host *h)
{
	h->controller.lead = NULL;
	lead_close(h->lead);
	controller_close(&h->controller);
	timeline_close(&h->timeline);
	if (h->door.all.owner)
		facts_door_close(&h->door);
	giver_close(h->giver);
	loop_close(&h->loop);
	free(h->command);
	free(h->kept);
	job_clear(&h->job);
	job_clear(&h->before);
	job_clear(&h->slurm);
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
	child_raise_files(); /* a connection for each launcher */
	rc = run(&h, argc, argv, &err);
	clear(&h);
	return rc < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
