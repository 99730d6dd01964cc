/* SPDX-License-Identifier: Apache-2.0 */
/* The controller with all its parts, where the server is a stand-in: who takes
 * what members tell, and what they are told of the job's end. */
#include "helpers/step/controller.h"

#include "core/facts/handover.h"
#include "helpers/arbiter/arbiter.h"
#include "helpers/conn/loss_lines.h"
#include "helpers/lead/lead.h"
#include "helpers/output/timeline.h"
#include "helpers/server/server.h"
#include "sys/epoch.h"

#include "tests/fixtures/loop_for.h"
#include "tests/fixtures/plan_fixture.h"
#include "tests/fixtures/unit.h"

#include <signal.h>
#include <stdlib.h>

#define NTASKS	    3
#define PATIENCE_MS 10000

static struct task task;
static struct loop loop;
static struct controller c;
static const struct timeline none = {.fd = -1};
static unsigned noutcomes; /* that srun is told */
static char told[512];	   /* to members */
static char says[1024];	   /* for the user */
static bool is_het;

/* --- the stand-in --- */

struct server *lead_server(const struct lead *lead)
{
	return (struct server *)lead;
}

void lead_outcome(struct lead *lead, unsigned bits)
{
	(void)lead;
	assert_int_equal(bits, OUTCOME_SIGNALLED);
	noutcomes++;
}

void lead_does(struct lead *lead, const char *text)
{
	(void)lead;
	(void)text;
}

struct arbiter *server_arbiter(struct server *server)
{
	return (struct arbiter *)server;
}

const char *server_node_of(const struct server *server, unsigned member)
{
	(void)server;
	return member < NTASKS ? "node1" : NULL;
}

unsigned server_member_on(const struct server *server, const char *node)
{
	(void)server;
	return !strcmp(node, "node1") ? 0 : MEMBER_NONE;
}

static void add_told(const char *who, char type, const char *data)
{
	size_t at = strlen(told);

	snprintf(told + at, sizeof(told) - at, "%s%c %s|", who, type, data);
}

int server_address(const struct server *server, unsigned member,
		   char ret[IP_TEXT_SIZE])
{
	(void)server;
	(void)member;
	(void)ret;
	return -1;
}

void server_send_all(struct server *server, char type, const char *data,
		     size_t n)
{
	(void)server;
	assert_int_equal(strlen(data), n);
	add_told("all ", type, data);
}

void server_tell(struct server *server, unsigned member, char type,
		 const char *data, size_t n)
{
	char who[16];

	(void)server;
	assert_int_equal(strlen(data), n);
	snprintf(who, sizeof(who), "%u ", member);
	add_told(who, type, data);
}

void server_handle(struct server *server, unsigned member, char type,
		   const char *data, size_t n)
{
	(void)server;
	(void)member;
	(void)n;
	add_told("handle ", type, data);
}

void server_show(struct connection *to, char type, const char *data, size_t n)
{
	(void)to;
	(void)type;
	(void)data;
	(void)n;
}

void arbiter_stop(struct arbiter *arbiter, const char *line, int code,
		  long after_s)
{
	(void)arbiter;
	(void)after_s;
	(void)code;
	add_told("stop ", '-', line);
}

void arbiter_cancelled(struct arbiter *arbiter, const char *line)
{
	(void)arbiter;
	add_told("cancelled ", '-', line);
}

unsigned arbiter_spares(const struct arbiter *arbiter)
{
	(void)arbiter;
	return 0;
}

unsigned arbiter_restarts(const struct arbiter *arbiter)
{
	(void)arbiter;
	return 0;
}

static void say(void *arg, const char *lines)
{
	assert_ptr_equal(arg, &c);
	strncat(says, lines, sizeof(says) - strlen(says) - 1);
}

/* --- steps --- */

/* The job's limit is so many seconds from now; 0: it has none. */
static void open(const char *keys, long left_s)
{
	struct facts f = facts_task(NTASKS, 1, 0, 0, 0, "0,1,2");
	struct err err;

	plan_ok(&task, keys, &f);
	task.job.het = is_het;
	if (left_s)
		task.job.end_time = epoch_ms() / 1000 + left_s;
	c = (struct controller){
		.parts = step_parts,
		.loop = &loop,
		.plan = &task.plan,
		.job = &task.job,
		.step = &task.job,
		.members = &task.job,
		.program = "/bin/train.py",
		.timeline = &none,
		.lead = (struct lead *)&c,
		.say = say,
		.arg = &c,
	};
	noutcomes = 0;
	*told = *says = '\0';
	assert_int_equal(loop_open(&loop, &err), 0);
	assert_int_equal(controller_open(&c, &err), 0);
}

static void over(void)
{
	controller_close(&c);
	assert_null(loop.timers.first);
	loop_close(&loop);
	clear(&task);
}

static void tell(enum message type, unsigned member, const char *text)
{
	for (const struct subscription *s = controller_told(&c); s; s = s->next)
		if (s->type == type)
			s->take(s->arg, member, text);
}

static void wait_for(const char *text, const char *word)
{
	for (int i = 0; i < PATIENCE_MS && !strstr(text, word); i++)
		loop_for(&loop, 1);
	assert_non_null(strstr(text, word));
}

/* How many take it; `to_the_end` is the same for all of them. */
static unsigned takers(enum message type, bool to_the_end)
{
	unsigned n = 0;

	for (const struct subscription *s = controller_told(&c); s; s = s->next)
		if (s->type == type) {
			assert_ptr_equal(s->arg, &c);
			assert_int_equal(s->to_the_end, to_the_end);
			n++;
		}
	return n;
}

/* --- tests --- */

/* A part that the step doesn't have takes nothing. */
static void who_takes_what(void **state)
{
	(void)state;
	open("ddp,record=off,check=off", 0);
	assert_int_equal(takers(MSG_SEEN, true), 1);
	assert_int_equal(takers(MSG_UP, false) + takers(MSG_NOTE, true) +
				 takers(MSG_QUIET, false) +
				 takers(MSG_CHECK, false),
			 0);
	over();
	open("ddp,supervise=yes,hang=60,check=fast,end-signal=60", 0);
	assert_int_equal(takers(MSG_SEEN, true), 1);
	assert_int_equal(takers(MSG_UP, false), 2);
	assert_int_equal(takers(MSG_NOTE, true), 1);
	assert_int_equal(takers(MSG_QUIET, false), 1);
	assert_int_equal(takers(MSG_CHECK, false), 1);
	over();
}

/* Which files all run: the first word counts, for who asks later, too. */
static void code(void **state)
{
	(void)state;
	open("ddp,record=off,code=freeze", 0);
	tell(MSG_CODE, 1, "");
	assert_string_equal(told, "");
	tell(MSG_CODE, 0, "kept");
	tell(MSG_CODE, 2, "");
	tell(MSG_CODE, 1, "other");
	assert_string_equal(told, "all C kept|2 C kept|");
	over();
}

/* The time is near, and all are asked, once; what came of it is said. */
static void notice(void **state)
{
	(void)state;
	open("ddp,supervise=yes,record=off,end-signal=USR2@60", 50);
	wait_for(told, "|");
	assert_ptr_equal(strstr(told, "all O 1 5000 ending "), told);
	controller_told_by_slurm(&c);
	assert_null(strstr(strchr(told, '|') + 1, "|"));
	assert_int_equal(noutcomes, 1);
	tell(MSG_SEEN, 0, "1 told\t0\t12\t12\n");
	tell(MSG_SEEN, 1, "1 deaf\t1\t13\n");
	tell(MSG_SEEN, 2, "1 told\t2\t14\t14\n");
	wait_for(says, "\n");
	assert_non_null(strstr(says, ": 2 ranks got SIGUSR2; 1 without a "
				     "handler for it didn't (rank 1)"));
	over();
}

/* Each launcher has a clock of its own for when nobody asks: it must know that
 * the limit has changed, also one that has come later. */
static void other_limit(void **state)
{
	char expected[64];

	(void)state;
	open("ddp,supervise=yes,record=off,end-signal=60", 3600);
	tell(MSG_UP, 1, "1");
	loop_for(&loop, 1);
	assert_string_equal(told, "");
	controller_end_time(&c, 4102444800);
	assert_string_equal(told, "all H 4102444800|");
	*told = '\0';
	tell(MSG_UP, 2, "1");
	assert_string_equal(told, "2 H 4102444800|");
	*told = '\0';
	controller_end_time(&c, 0);
	assert_string_equal(told, "all H 0|");
	*told = '\0';
	controller_end_time(&c, epoch_ms() / 1000 + 10);
	snprintf(expected, sizeof(expected), "all O 1 5000 ending ");
	wait_for(told, expected);
	over();
}

/* Slurm ends all launchers of a component, and no other one. */
static void component_cancelled(void **state)
{
	static const char own[] = "1 0 1 2";

	(void)state;
	for (int others = 0; others < 3; others++) {
		is_het = true;
		open("ddp,supervise=yes,record=off", 0);
		is_het = false;
		tell(MSG_TOLD, 0, "0 1 0 1"); /* Ctrl-C */
		tell(MSG_TOLD, 1, own);
		if (others < 2)
			tell(MSG_TOLD, 2, own);
		if (others == 1)
			tell(MSG_TOLD, 0, "1 0 0 1");
		loop_for(&loop, KILL_SPREAD_MS + 100);
		if (others)
			assert_string_equal(told, "");
		else
			assert_non_null(strstr(told, " component of tasks 1 to "
						     "2 alone (cancelled"));
		over();
	}
}

static void told_by_slurm(void **state)
{
	(void)state;
	open("ddp,supervise=yes,record=off,end-signal=60", 0);
	controller_told_by_slurm(&c);
	assert_ptr_equal(strstr(told, "all O 1 5000 ending "), told);
	over();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_takes_what),
		cmocka_unit_test(code),
		cmocka_unit_test(notice),
		cmocka_unit_test(other_limit),
		cmocka_unit_test(told_by_slurm),
		cmocka_unit_test(component_cancelled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
