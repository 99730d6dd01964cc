/* SPDX-License-Identifier: Apache-2.0 */
/* The launchers of a step that meet late or never: several sessions in one
 * process, over loopback. */
#include "helpers/channel/session.h"
#include "helpers/channel/session_state.h"
#include "helpers/conn/connections.h"
#include "helpers/lead/lead.h"
#include "helpers/server/server.h"

#include "tests/fixtures/channel_fixture.h"
#include "tests/fixtures/handed_secret.h"
#include "tests/fixtures/idle_clock.h"
#include "tests/fixtures/plan_fixture.h"
#include "tests/fixtures/sack_stand_in.h"

#include <sys/wait.h>

#define NTASKS 3

struct member {
	struct task task;
	struct session *session;
	char log[256]; /* what the arbiter sent to it */
	char said[1024];
	bool left, doubts;
};

static struct member members[NTASKS];

static void heard(void *arg, char type, const char *data, size_t n)
{
	struct member *m = arg;
	size_t at = strlen(m->log);

	(void)n;
	snprintf(m->log + at, sizeof(m->log) - at, "%c%s ", type, data);
	m->left = m->left || type == MSG_LEAVE;
}

static void says(void *arg, const char *lines)
{
	struct member *m = arg;

	strncat(m->said, lines, sizeof(m->said) - strlen(m->said) - 1);
}

static bool has_doubt(void *arg)
{
	const struct member *m = arg;

	return m->doubts;
}

/* Whether a launcher stands for its node, and not for its task. */
static bool by_node;

/* --- the controller, in this process, too --- */

static enum {
	RUNS,
	ENDS_EARLY, /* before it has let anybody in */
	NO_PROGRAM, /* it can't be started */
} program;
static struct {
	struct lead *lead;
	struct handed_secret secret;
	char log[256], said[1024];
} controller;
static int controller_out = -1; /* its standard output */
static bool all_over;
static unsigned ntold; /* MSG_TOLD, beside the arbiter */

static void is_over(void *arg)
{
	(void)arg;
	all_over = true;
}

static void is_told(void *arg, unsigned member, const char *text)
{
	assert_ptr_equal(arg, &controller);
	assert_int_equal(member, 1);
	assert_string_equal(text, "1 0");
	ntold++;
}

static void controller_heard(void *arg, char type, const char *data, size_t n)
{
	size_t at = strlen(controller.log);

	(void)arg;
	(void)n;
	snprintf(controller.log + at, sizeof(controller.log) - at, "%c%s ",
		 type, data);
}

static void controller_says(void *arg, const char *lines)
{
	(void)arg;
	strncat(controller.said, lines,
		sizeof(controller.said) - strlen(controller.said) - 1);
}

/* What the launcher has written comes by the pipe that the session reads. */
static void open_controller(int pipe, int listen_fd)
{
	static const struct subscription told = {.type = MSG_TOLD,
						 .take = is_told,
						 .arg = &controller,
						 .shares = true};
	const struct task *task = &members[0].task;
	struct lead_options o = {
		.loop = &loop,
		.plan = &task->plan,
		.job = task->plan.job,
		.listen_fd = dup(listen_fd),
		.secret = &controller.secret,
		.over = is_over,
		.told = &told,
		.message = controller_heard,
		.say = controller_says,
	};
	char number[12], why[SECRET_WHY_SIZE] = "";
	struct err err;

	memset(&controller, 0, sizeof(controller));
	snprintf(number, sizeof(number), "%d", dup(pipe));
	setenv(HANDOVER_SECRET, number, 1);
	step_secret_read(&controller.secret.secret,
			 controller.secret.credential, why, sizeof(why));
	assert_string_equal(why, "");
	controller.lead = lead_open(&o, &err);
	if (!controller.lead)
		fail_msg("%s", err.text);
}

static void close_controller(void)
{
	lead_close(controller.lead);
	controller.lead = NULL;
	if (controller_out >= 0)
		close(controller_out);
	controller_out = -1;
}

static struct {
	struct loop_timer timer;
	int pipe, listen_fd;
} starting = {.pipe = -1};

/* A while after it was asked to. */
static void start_now(void *arg)
{
	(void)arg;
	if (program == RUNS)
		open_controller(starting.pipe, starting.listen_fd);
	close(starting.pipe);
	close(starting.listen_fd);
	if (program == ENDS_EARLY)
		close_controller();
}

static unsigned start_ms = 10;

static char *facts(void *arg, size_t *ret_n)
{
	(void)arg;
	*ret_n = 6;
	return strdup("facts");
}

static int start(void *arg, int listen_fd, struct subprocess *ret,
		 struct err *err)
{
	int in[2], out[2];

	assert_ptr_equal(arg, &members[0]);
	all_over = false;
	ntold = 0;
	if (program == NO_PROGRAM)
		return err_printf(err, "there is none");
	assert_int_equal(pipe2(in, O_CLOEXEC) + pipe2(out, O_CLOEXEC), 0);
	*ret = (struct subprocess){.pid = getpid(), .in = in[1], .out = out[0]};
	controller_out = out[1];
	starting.pipe = in[0];
	starting.listen_fd = dup(listen_fd);
	starting.timer = (struct loop_timer){.expired = start_now};
	loop_arm(&loop, &starting.timer, start_ms);
	return 0;
}

static const char *world; /* HANDOVER_WORLD */

/* What is handed over in the place of the secret; "": nothing is. */
static char handed[AUTH_WORD_MAX];

static void come_of(unsigned n, unsigned i, const char *keys)
{
	struct member *m = &members[i];
	struct facts f = facts_task(n, 1, i, i, 0, "0,1,2");
	struct session_options o = {
		.loop = &loop,
		.plan = &m->task.plan,
		.config = &m->task.config,
		.start = start,
		.facts = facts,
		.message = heard,
		.in_doubt = has_doubt,
		.say = says,
		.arg = m,
	};
	char text[128];
	struct err err;

	memset(m, 0, sizeof(*m));
	facts_number(&f, "SLURM_JOB_ID", (unsigned long)getpid());
	if (world)
		facts_set(&f, HANDOVER_WORLD, world);
	snprintf(text, sizeof(text), "ddp,supervise=yes,%s", keys);
	plan_ok(&m->task, text, &f);
	m->task.plan.resolved.node_launcher = by_node;
	if (*handed)
		setenv(HANDOVER_SECRET, handed, 1);
	else
		hand_over_secret();
	m->session = session_open(&o, &err);
	snprintf(m->said, sizeof(m->said), "%s", m->session ? "" : err.text);
}

static void come(unsigned i, const char *keys)
{
	come_of(NTASKS, i, keys);
	if (!members[i].session)
		fail_msg("%s", members[i].said);
}

static void tell(unsigned i, char type, const char *text)
{
	session_send(members[i].session, type, text, strlen(text));
}

static void go(unsigned i)
{
	session_close(members[i].session);
	if (members[i].session)
		clear(&members[i].task);
	memset(&members[i], 0, sizeof(members[i]));
}

static void go_all(void)
{
	for (unsigned i = 1; i < NTASKS; i++)
		go(i);
	close_controller(); /* it has task 0's plan */
	go(0);
	if (!starting.timer.armed)
		return;
	loop_disarm(&loop, &starting.timer);
	close(starting.pipe);
	close(starting.listen_fd);
}

static bool is_there(const void *arg)
{
	const struct member *m = arg;

	return client_is_there(m->session->client);
}

static void wait_to_be_there(unsigned i)
{
	run_until_so(is_there, &members[i]);
}

static void wait_to_be_late(unsigned i)
{
	run_until(&members[i].session->late);
}

/* A text as it is and as it is to become, or what is to be in it. */
struct awaited_text {
	const char *is, *expected;
};

static bool has_part(const void *arg)
{
	const struct awaited_text *t = arg;

	return strstr(t->is, t->expected);
}

static bool is_equal(const void *arg)
{
	const struct awaited_text *t = arg;

	return strcmp(t->is, t->expected) == 0;
}

static void wait_for_line_in(const char *said, const char *part)
{
	struct awaited_text t = {said, part};

	try_until_so(has_part, &t);
	if (!strstr(said, part))
		fail_msg("'%s' isn't in '%s'", part, said);
}

/* Of the controller */
static void wait_for_line(const char *part)
{
	wait_for_line_in(controller.said, part);
}

static void wait_for_part(unsigned i, const char *part)
{
	struct awaited_text t = {members[i].log, part};

	run_until_so(has_part, &t);
}

static void wait_for_log(unsigned i, const char *log)
{
	struct awaited_text t = {members[i].log, log};

	try_until_so(is_equal, &t);
	assert_string_equal(members[i].log, log);
}

static void never_come(const char *line)
{
	come(0, "timeout=1");
	tell(0, MSG_ENDED, "0 0");
	assert_string_equal(members[0].log, "");
	wait_for_log(0, "L0 ");
	assert_string_equal(controller.said, line);
	go_all();
}

/* Two of three never come. Who is here isn't kept. */
static void never(void **state)
{
	(void)state;
	never_come("dist-train: after 1 s the launchers of 2 of 3 tasks have "
		   "not answered; silent nodes: none; the step goes on\n");
	by_node = true;
	never_come("dist-train: after 1 s the launchers of 2 of 3 nodes have "
		   "not answered; silent nodes: none; the step goes on\n");
	by_node = false;
}

/* The same for one that never finds task 0's. */
static void no_server(void **state)
{
	(void)state;
	come(1, "timeout=1");
	come(2, "timeout=1");
	tell(1, MSG_ENDED, "0 0"); /* before its time is over */
	wait_to_be_late(2);
	tell(2, MSG_FAILED, "0 3 0 0"); /* after */
	tell(2, MSG_ENDED, "0 0");
	wait_for_log(1, "L0 ");
	wait_for_log(2, "E30 R L3 ");
	assert_string_equal(members[1].said, "");
	assert_string_equal(members[2].said, "");
	go_all();
	come(2, "timeout=1,restarts=4");
	tell(2, MSG_FAILED, "0 3 0 0");
	tell(2, MSG_ENDED, "0 0");
	wait_for_log(2, "E30 R L3 ");
	assert_string_equal(members[2].said,
			    "dist-train: restarts=4 not used: node1 hasn't "
			    "reached the step's controller (timeout=1)\n");
	go_all();
}

/* Task 0 comes when the time of the others is over: they are members. */
static void late_server(void **state)
{
	(void)state;
	come(1, "timeout=1,restarts=1,grace=0");
	come(2, "timeout=1,restarts=1,grace=0");
	wait_to_be_late(1);
	wait_to_be_late(2);
	come(0, "timeout=60,restarts=1,grace=0");
	wait_to_be_there(1);
	wait_to_be_there(2);
	tell(2, MSG_FAILED, "0 137 0 0");
	for (unsigned i = 0; i < NTASKS; i++)
		tell(i, MSG_ENDED, "0 1");
	wait_for_log(0, "E0 N1 ");
	wait_for_log(1, "E0 N1 ");
	wait_for_log(2, "E0 R N1 ");
	for (unsigned i = 0; i < NTASKS; i++)
		tell(i, MSG_ENDED, "1 0");
	wait_for_log(1, "E0 N1 L0 ");
	wait_for_log(2, "E0 R N1 L0 ");
	wait_for_log(0, "E0 N1 L0 ");
	go_all();
}

/* The time is over, and one isn't here: no restart, until it comes. */
static void late_member(void **state)
{
	const char *keys = "timeout=1,restarts=9,grace=0";

	(void)state;
	come(0, keys);
	come(1, keys);
	wait_for_line("; the step goes on, and nothing is restarted until "
		      "all launchers are here\n");
	come(2, keys);
	wait_to_be_there(2);
	tell(2, MSG_FAILED, "0 137 0 0");
	for (unsigned i = 0; i < NTASKS; i++)
		tell(i, MSG_ENDED, "0 1");
	wait_for_log(2, "E0 R N1 ");
	wait_for_log(0, "E0 N1 ");
	go_all();

	come(0, keys);
	come(1, keys);
	wait_for_line("nothing is restarted");
	tell(1, MSG_FAILED, "0 137 0 0");
	tell(0, MSG_ENDED, "0 1");
	tell(1, MSG_ENDED, "0 0");
	wait_for_log(1, "E0 R L137 ");
	assert_non_null(strstr(controller.said, "dist-train: no restart: the "
						"launchers of 1 of 3 tasks "
						"have not answered\n"));
	go_all();
}

/* All who are here have gone: who comes then is left alone, and its processes
 * with it. */
static void after_the_end(void **state)
{
	(void)state;
	come(0, "timeout=1");
	come(1, "timeout=1");
	tell(0, MSG_ENDED, "0 0");
	tell(1, MSG_ENDED, "0 0");
	wait_for_log(1, "L0 "); /* task 0's when its connection has ended */
	come(2, "timeout=1");
	run_for(500);
	assert_string_equal(members[2].log, "");
	wait_for_log(0, "L0 ");
	close_controller();
	go(0);
	wait_to_be_late(2);
	assert_string_equal(members[2].log, "");
	tell(2, MSG_ENDED, "0 0");
	wait_for_log(2, "L0 ");
	go_all();
}

/* Who doesn't come ends the step. */
static void on_silence(void **state)
{
	const char *keys = "timeout=1,on-silence=fail";

	(void)state;
	come(0, keys);
	come(1, keys);
	wait_for_log(1, "E0 ");
	tell(0, MSG_ENDED, "0 1");
	tell(1, MSG_ENDED, "0 1");
	wait_for_log(1, "E0 L1 ");
	assert_non_null(
		strstr(controller.said,
		       "dist-train: after 1 s the launchers of 1 of 3 "
		       "tasks have not answered; silent nodes: none\n"));
	go_all();

	come(1, keys); /* task 0's */
	wait_for_log(1, "E0 ");
	tell(1, MSG_ENDED, "0 1");
	wait_for_log(1, "E0 L137 ");
	go_all();
}

/* The whole step is told to end before all are here. */
static void told_to_end(void **state)
{
	uint64_t begun = loop_now_ms();

	(void)state;
	come(0, "timeout=600");
	come(1, "timeout=600");
	wait_to_be_there(1);
	wait_to_be_there(0);
	session_told_to_end(members[0].session);
	lead_told_to_end(controller.lead); /* as dist-train-step does */
	tell(1, MSG_FAILED, "0 143 0 1");
	tell(1, MSG_ENDED, "0 0");
	tell(0, MSG_FAILED, "0 143 0 1");
	tell(0, MSG_ENDED, "0 0");
	wait_for_log(1, "E30 L143 ");
	assert_true(loop_now_ms() - begun < 30000); /* not 38 s */
	assert_string_equal(controller.said, "");
	go_all();
}

/* All launchers are alike; but that of task 0 leaves last, and the controller
 * after it. What member 0 is told the controller knows. */
static void with_controller(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NTASKS; i++)
		come(i, "timeout=60,restarts=1,grace=0");
	for (unsigned i = 0; i < NTASKS; i++)
		wait_to_be_there(i);
	tell(2, MSG_FAILED, "0 137 0 0");
	for (unsigned i = 0; i < NTASKS; i++)
		tell(i, MSG_ENDED, "0 1");
	wait_for_log(0, "E0 N1 ");
	wait_for_log(2, "E0 R N1 ");
	assert_string_equal(controller.log, "E0 N1 ");
	for (unsigned i = 0; i < NTASKS; i++)
		tell(i, MSG_ENDED, "1 0");
	wait_for_log(1, "E0 N1 L0 ");
	wait_for_log(2, "E0 R N1 L0 ");
	run_for(100);
	assert_string_equal(members[0].log, "E0 N1 ");
	go(1);
	go(2);
	wait_for_log(0, "E0 N1 L0 ");
	assert_string_equal(controller.log, "E0 N1 L0 ");
	assert_false(all_over);
	session_close(members[0].session);
	members[0].session = NULL;
	run_until(&all_over);
	close_controller();
	clear(&members[0].task);
	go_all();
}

/* The signal is told to the controller, and the arbiter hears of it, too. */
static void controller_is_told(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NTASKS; i++)
		come(i, "timeout=60,restarts=1,grace=0");
	wait_to_be_there(0);
	tell(1, MSG_FAILED, "0 137 0 0");
	wait_for_log(1, "E0 R ");
	tell(1, MSG_TOLD, "1 0"); /* no restart any more */
	for (unsigned i = NTASKS; i--;)
		tell(i, MSG_ENDED, "0 1");
	wait_for_log(1, "E0 R L143 ");
	assert_int_equal(ntold, 1);
	go_all();
}

/* The controller is gone: each launcher ends its processes by itself, and one
 * of them says why. */
static void lost_controller(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NTASKS; i++)
		come(i, "grace=7,restarts=1");
	for (unsigned i = 0; i < NTASKS; i++)
		wait_to_be_there(i);
	for (unsigned i = 0; i < NTASKS; i++) {
		tell(i, MSG_FAILED, "0 137 0 0");
		tell(i, MSG_ENDED, "0 1");
	}
	for (unsigned i = 0; i < NTASKS; i++)
		wait_for_part(i, "N1 ");
	close_controller();
	for (unsigned i = 0; i < NTASKS; i++)
		*members[i].log = '\0';
	for (unsigned i = 0; i < NTASKS; i++) {
		wait_for_log(i, "E7 ");
		tell(i, MSG_ENDED, "1 1");
		wait_for_log(i, "E7 L137 ");
	}
	assert_string_equal(members[0].said,
			    "dist-train: the step's controller on node1 has "
			    "ended, or the connection to it is lost (first "
			    "failure)\ndist-train: 1 other process was "
			    "ended\n");
	assert_string_equal(members[1].said, "");
	go_all();
}

/* So it is in a world of a step with roles, but who has told that to end says
 * why, or the step does. */
static void lost_controller_of_world(void **state)
{
	(void)state;
	world = "0 trainer";
	for (unsigned i = 0; i < NTASKS; i++)
		come(i, "grace=7");
	for (unsigned i = 0; i < NTASKS; i++)
		wait_to_be_there(i);
	for (unsigned i = 0; i < NTASKS; i++)
		session_told_to_end(members[i].session);
	close_controller();
	for (unsigned i = 0; i < NTASKS; i++) {
		wait_for_log(i, "E7 ");
		tell(i, MSG_ENDED, "0 1");
		wait_for_log(i, "E7 L137 ");
		assert_string_equal(members[i].said, "");
	}
	go_all();
	world = NULL;
}

/* --- a controller beside srun, of another release --- */

static struct connections door;

static void door_hears(void *arg, char type, const char *data, size_t n)
{
	static const char why[] = "node1 is too new";
	struct connection *c = arg;
	struct msgbuf *welcome = msgbuf_new(MSG_WELCOME, "", 0);
	struct msgbuf *refusal = msgbuf_new(MSG_SAY, why, strlen(why));

	(void)data;
	(void)n;
	if (type == MSG_HELLO) {
		secure_conn_send(c->conn, welcome);
		secure_conn_send(c->conn, refusal);
	}
	msgbuf_drop(welcome);
	msgbuf_drop(refusal);
}

static void door_lost(void *arg, int why)
{
	(void)why;
	connection_drop(arg);
}

static unsigned door_port(const void *arg, unsigned try)
{
	return try < 100 ? *(const unsigned *)arg +
	try:
		0;
}

/* As helpers/step/facts_door.c does it. */
static void open_door(const char *id, unsigned first)
{
	static const struct handover_secret of_all = {.secret = "of all"};
	char ports[32];
	struct err err;

	door = (struct connections){
		.step = {.loop = &loop,
			 .secret = of_all.secret,
			 .id = id,
			 .lease_s = 15},
		.ip = "127.0.0.1",
		.node = "login",
		.nmembers = 1,
		.message = door_hears,
		.lost = door_lost,
		.owner = &door,
		.say = says,
		.say_arg = &members[1],
	};
	connections_init(&door);
	assert_int_equal(connections_listen(&door, door_port, &first, &err), 0);
	snprintf(ports, sizeof(ports), "1 %u", door.step.port);
	setenv(HANDOVER_STEP_PORTS, ports, 1);
	setenv("SLURM_LAUNCH_NODE_IPADDR", "127.0.0.1", 1);
}

/* It is on task 0's node then, without a moment's delay; and one line says why.
 * That has a port in use, the first one that is tried here, isn't said. */
static void other_release(void **state)
{
	char id[JOB_STEP_SIZE] = "";
	unsigned first;
	uint64_t begun;

	(void)state;
	come(0, "timeout=60");
	first = session_port(members[0].session, 0);
	go_all();
	open_door(id, first);
	assert_int_equal(door.step.port, first);
	begun = loop_now_ms();
	come(0, "timeout=60");
	strcpy(id, members[0].session->id);
	wait_to_be_there(0);
	assert_true(loop_now_ms() - begun < 4000);
	assert_string_equal(members[0].said,
			    "dist-train: node1 is too new: it runs on node1, "
			    "and srun doesn't hear how the step ends (requeue) "
			    "or that nodes are lost\n");
	go_all();
	connections_close(&door);
	unsetenv(HANDOVER_STEP_PORTS);
	unsetenv("SLURM_LAUNCH_NODE_IPADDR");
}

/* --- where it can't be started --- */

static void fails_without(enum message type, const char *text)
{
	come(1, "timeout=60");
	come(0, "timeout=60");
	if (type)
		tell(0, (char)type, text);
	wait_for_log(0, "E0 ");
	tell(0, MSG_ENDED, "0 1");
	wait_for_log(0, "E0 L1 ");
}

/* The step ends, with a line. */
static void without_program(void **state)
{
	(void)state;
	program = NO_PROGRAM;
	come_of(NTASKS, 0, "timeout=60");
	assert_null(members[0].session);
	assert_string_equal(members[0].said,
			    "the step's controller can't be started on node1: "
			    "there is none");
	clear(&members[0].task);
	memset(&members[0], 0, sizeof(members[0]));
	program = ENDS_EARLY;
	fails_without(MSG_UP, "1");
	assert_non_null(strstr(members[0].said,
			       "dist-train: the step's controller can't be "
			       "started on node1: it has ended at once\n"));
	go_all();
	program = RUNS;
}

/* A launcher that needs nobody does without, with all that it has said. */
static void alone(void **state)
{
	(void)state;
	for (program = ENDS_EARLY; program <= NO_PROGRAM; program++) {
		come_of(1, 0, "timeout=60,grace=3");
		tell(0, MSG_READY, "10.0.0.1");
		tell(0, MSG_FAILED, "0 5 0 0");
		wait_for_log(0, "G0 10.0.0.1 E3 R ");
		tell(0, MSG_FAILED, "0 6 0 0");
		tell(0, MSG_ENDED, "0 2");
		wait_for_log(0, "G0 10.0.0.1 E3 R L5 ");
		assert_string_equal(
			members[0].said,
			"dist-train: 2 other processes were ended\n");
		go_all();
	}
	program = NO_PROGRAM;
	come_of(1, 0, "timeout=60,restarts=2");
	assert_null(members[0].session);
	assert_string_equal(members[0].said,
			    "restarts=2: the step's controller can't be "
			    "started: there is none");
	clear(&members[0].task);
	memset(&members[0], 0, sizeof(members[0]));
	program = RUNS;
}

/* What such a launcher is told in answer to what it tells. */
static void alone_answers(void **state)
{
	const struct gather_piece piece = {"/folder", "row", 3};

	(void)state;
	program = NO_PROGRAM;
	come_of(1, 0, "grace=3");
	session_gather(members[0].session, &piece);
	tell(0, MSG_EXEC, "words");
	tell(0, MSG_QUIET, "0 1 0");
	tell(0, MSG_IDLE, "0");
	tell(0, MSG_FAILED, "0 5 0 0"); /* services, which were told to end */
	tell(0, MSG_ENDED, "0 0");
	assert_string_equal(members[0].log, "X/folder Pwords D L0 ");
	go_all();
	come_of(1, 0, "grace=3");
	tell(0, MSG_STOP, "9 2 it is enough");
	tell(0, MSG_ENDED, "0 0");
	assert_string_equal(members[0].log, "E2 L9 ");
	assert_string_equal(members[0].said, "dist-train: it is enough\n");
	go_all();
	come_of(1, 0, "grace=3"); /* its processes can't be ended */
	tell(0, MSG_FAILED, "0 143 0 1");
	wait_for_log(0, "E3 L143 ");
	go_all();
	program = RUNS;
}

static bool owes_answer(const void *arg)
{
	const struct member *m = arg;

	return m->session->owes_answer;
}

/* Its rank was ended by a signal that may be sent to all, and it doesn't know
 * yet; another one's failed since that was gone. */
static void in_doubt(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NTASKS; i++)
		come(i, "timeout=60,grace=0");
	wait_to_be_there(1);
	wait_to_be_there(2);
	members[1].doubts = true;
	tell(2, MSG_FAILED, "0 1 0 0");
	try_until_so(owes_answer, &members[1]);
	assert_true(members[1].session->owes_answer);
	tell(1, MSG_FAILED, "0 143 500 0");
	wait_for_log(1, "E0 R ");
	assert_string_equal(members[2].log, "E0 ");
	go_all();
}

/* --- Slurm's own authentication --- */

static void begin_tokens(void)
{
	const struct auth auth = stand_in_auth();

	stand_in_open(&loop);
	auth_write(&auth, handed);
}

static void end_tokens(void)
{
	go_all();
	*handed = '\0';
	stand_in_close();
}

/* The controller has the secret of task 0's launcher; who comes before it goes
 * on asking, also when his time is over. */
static void by_tokens(void **state)
{
	(void)state;
	begin_tokens();
	come(1, "timeout=1,restarts=1,grace=0");
	assert_false(session_knows_secret(members[1].session));
	wait_to_be_late(1);
	come(0, "timeout=60,restarts=1,grace=0");
	come(2, "timeout=60,restarts=1,grace=0");
	wait_to_be_there(1);
	wait_to_be_there(2);
	for (unsigned i = 1; i < NTASKS; i++) {
		assert_true(session_knows_secret(members[i].session));
		assert_memory_equal(&members[i].session->secret.secret,
				    &controller.secret.secret, SECRET_SIZE);
	}
	tell(2, MSG_FAILED, "0 137 0 0");
	wait_for_log(1, "E0 ");
	end_tokens();
}

/* The user hears why, once. */
static void no_tokens(void **state)
{
	(void)state;
	begin_tokens();
	setenv("SLURM_SACK_SOCKET", "/nonexistent", 1);
	come(0, "timeout=60");
	come(1, "timeout=12");
	wait_for_line_in(members[1].said,
			 "can't show the others who it is: Slurm's "
			 "authentication can't be asked on this host: no "
			 "socket answers where SLURM_SACK_SOCKET says");
	assert_false(session_knows_secret(members[1].session));
	tell(1, MSG_ENDED, "0 0");
	wait_to_be_late(1);
	assert_null(strstr(strstr(members[1].said, "can't show") + 1,
			   "can't show"));
	end_tokens();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_doubt),
		cmocka_unit_test(by_tokens),
		cmocka_unit_test(no_tokens),
		cmocka_unit_test(never),
		cmocka_unit_test(no_server),
		cmocka_unit_test(late_server),
		cmocka_unit_test(late_member),
		cmocka_unit_test(after_the_end),
		cmocka_unit_test(on_silence),
		cmocka_unit_test(told_to_end),
		cmocka_unit_test(with_controller),
		cmocka_unit_test(controller_is_told),
		cmocka_unit_test(lost_controller),
		cmocka_unit_test(lost_controller_of_world),
		cmocka_unit_test(other_release),
		cmocka_unit_test(without_program),
		cmocka_unit_test(alone),
		cmocka_unit_test(alone_answers),
	};

	return cmocka_run_group_tests(tests, open_loop, shut_loop);
}
