/* SPDX-License-Identifier: Apache-2.0 */
/* One question to all launchers of a step, where the channel is a stand-in: who
 * answers, who doesn't, who is lost meanwhile, and what a visitor is told. */
#include "helpers/look/look_state.h"

#include "helpers/channel/session.h"
#include "helpers/conn/message.h"
#include "helpers/launch/launch.h"
#include "helpers/launch/part.h"

#include "tests/fixtures/unit.h"

#define NTASKS	    4
#define PATIENCE_MS 20000

static struct launch l;
static struct job job;
static bool here[NTASKS];
static char sent[512];	 /* MSG_LOOK, and MSG_SEEN of this launcher */
static char shown[4096]; /* to visitors */
static struct connection *const guest = (struct connection *)&shown;
static struct connection *const other = (struct connection *)&sent;

/* --- the stand-in --- */

void session_look(struct session *session, const char *text)
{
	(void)session;
	snprintf(sent, sizeof(sent), "%s", text);
}

const char *session_node_of(const struct session *session, unsigned member)
{
	static const char *const nodes[NTASKS] = {"n0", "n1", "n2", "n3"};

	(void)session;
	return here[member] ? nodes[member] : NULL;
}

void session_send(struct session *session, char type, const char *data,
		  size_t n)
{
	size_t at = strlen(sent);

	(void)session;
	(void)n;
	snprintf(sent + at, sizeof(sent) - at, "%c%.100s", type, data);
}

void server_show(struct connection *c, char type, const char *data, size_t n)
{
	size_t at = strlen(shown);

	assert_int_equal(strlen(data), n);
	snprintf(shown + at, sizeof(shown) - at, "%s%c%.200s|",
		 c == guest ? "" : "other:", type, data);
}

/* --- steps --- */

/* MSG_LOOK */
static void look_told(const char *text)
{
	look_part.messages->take(&l, text);
}

static int begin(void **state)
{
	struct err err;

	(void)state;
	memset(&l, 0, sizeof(l));
	job.ntasks = NTASKS;
	l.view.members = &job;
	launch_show(&l);
	assert_int_equal(loop_open(&l.loop, &err), 0);
	assert_int_equal(look_part.open(&l, &err), 0);
	for (unsigned i = 0; i < NTASKS; i++)
		here[i] = true;
	*sent = *shown = '\0';
	return 0;
}

static int end(void **state)
{
	(void)state;
	look_part.close(&l);
	assert_null(l.loop.timers.first);
	loop_close(&l.loop);
	return 0;
}

static void stop(void *arg)
{
	loop_stop(arg);
}

static void run_for(uint64_t ms)
{
	struct loop_timer timer = {.expired = stop, .arg = &l.loop};
	struct err err;

	loop_arm(&l.loop, &timer, ms);
	assert_int_equal(loop_run(&l.loop, &err), 0);
	loop_disarm(&l.loop, &timer);
}

static void wait_for_end(void)
{
	for (int i = 0; i < PATIENCE_MS && !strstr(shown, "Y|"); i++)
		run_for(1);
	assert_non_null(strstr(shown, "Y|"));
}

static void seen(unsigned member, const char *text)
{
	look_seen(&l, member, text);
}

static void visit(struct connection *c, const char *text)
{
	look_came(l.view.look, c, text);
}

/* --- tests --- */

static void all_answer(void **state)
{
	(void)state;
	visit(guest, "60000 status a b");
	assert_string_equal(sent, "1 60000 status a b");
	for (unsigned i = 0; i < NTASKS; i++)
		seen(i, "1 x\n");
	wait_for_end();
	assert_string_equal(shown, "S0 n0\nx\n|S1 n1\nx\n|S2 n2\nx\n|"
				   "S3 n3\nx\n|Y|");
	look_left(l.view.look, guest);
}

/* The one that isn't here isn't waited for; the silent one until its time. */
static void missing(void **state)
{
	(void)state;
	here[1] = false;
	visit(guest, "1 status");
	seen(0, "1 x\n");
	seen(1, "1 not asked\n");
	seen(2, "9 another question\n");
	seen(2, "nonsense");
	seen(3, "1 x\n");
	seen(3, "1 again\n");
	wait_for_end();
	assert_string_equal(shown, "S0 n0\nx\n|S3 n3\nx\n|I2 n2|M1|Y|");
}

/* Nobody waits for one that is lost, and what it says then doesn't count. */
static void lost(void **state)
{
	(void)state;
	visit(guest, "60000 status");
	seen(0, "1 x\n");
	seen(1, "1 x\n");
	here[1] = false;
	look_lost(l.view.look, 1);
	here[2] = false;
	look_lost(l.view.look, 2);
	look_lost(l.view.look, 2);
	here[2] = true;
	seen(2, "1 new\n");
	run_for(5);
	assert_null(strstr(shown, "Y|"));
	seen(3, "1 x\n");
	wait_for_end();
	assert_string_equal(shown, "S0 n0\nx\n|S1 n1\nx\n|S3 n3\nx\n|M1|Y|");
}

static void too_long(void **state)
{
	size_t size = SIGHT_MAX + 64;
	char *text = malloc(size + 1);
	char question[1024];

	(void)state;
	assert_non_null(text);
	memset(text, 'x', size);
	text[size] = '\0';
	memcpy(text, "1 ", 2);
	visit(guest, "1 status");
	look_seen(&l, 0, text);
	free(text);
	wait_for_end();
	assert_non_null(strstr(shown, "I0 n0|"));
	memset(question, 'x', sizeof(question) - 1);
	question[sizeof(question) - 1] = '\0';
	memcpy(question, "5 ", 2);
	*shown = '\0';
	visit(other, question);
	assert_string_equal(shown, "other:Ythe question is too long|");
	*shown = '\0';
	visit(other, "0 status");
	assert_string_equal(shown, "other:Yno time is given|");
}

static void nobody_here(void **state)
{
	(void)state;
	memset(here, 0, sizeof(here));
	visit(guest, "1 status");
	assert_string_equal(shown, "Yits launchers aren't ready: try again|");
}

/* Several look at a time; one leaves before the end. */
static void several(void **state)
{
	(void)state;
	visit(guest, "60000 status");
	visit(other, "60000 status");
	look_left(l.view.look, guest);
	seen(0, "1 x\n");
	for (unsigned i = 0; i < NTASKS; i++)
		seen(i, "2 y\n");
	wait_for_end();
	assert_null(strstr(shown, "x"));
	assert_non_null(strstr(shown, "other:S0 n0\ny\n|"));
}

/* --- a launcher's own sights --- */

static void own(void **state)
{
	char text[SIGHT_MAX / 1000];

	(void)state;
	look_told("3 100 status a b");
	assert_string_equal(sent, "n3 a b");
	*sent = '\0';
	look_told("4 100 dreams");
	assert_string_equal(sent, "n4 unknown\n");
	*sent = '\0';
	look_told("x");
	look_told("5 0 status");
	look_told("");
	memset(text, ' ', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	look_told(text);
	assert_string_equal(sent, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_answer, begin, end),
		cmocka_unit_test_setup_teardown(missing, begin, end),
		cmocka_unit_test_setup_teardown(lost, begin, end),
		cmocka_unit_test_setup_teardown(too_long, begin, end),
		cmocka_unit_test_setup_teardown(nobody_here, begin, end),
		cmocka_unit_test_setup_teardown(several, begin, end),
		cmocka_unit_test_setup_teardown(own, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
