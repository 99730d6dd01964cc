/* SPDX-License-Identifier: Apache-2.0 */
/* One question to all launchers of a step, where the channel is a stand-in: who
 * answers, who doesn't, who is lost meanwhile, and what a visitor is told. */
#include "helpers/conn/message.h"
#include "helpers/server/server.h"
#include "helpers/step/query.h"

#include "tests/fixtures/loop_for.h"
#include "tests/fixtures/unit.h"

#define NTASKS	    4
#define PATIENCE_MS 20000

static struct loop loop;
static struct job job;
static struct controller c;
static unsigned nlost; /* members, as the controller is told */
static bool here[NTASKS];
static char sent[512];	 /* MSG_LOOK */
static char shown[4096]; /* to visitors */
static struct connection *const guest = (struct connection *)&shown;
static struct connection *const other = (struct connection *)&sent;

/* --- the stand-in --- */

struct server *controller_server(const struct controller *controller)
{
	return (struct server *)controller->arg;
}

const char *controller_node_of(const struct controller *controller,
			       unsigned member)
{
	static const char *const nodes[NTASKS] = {"n0", "n1", "n2", "n3"};

	(void)controller;
	return here[member] ? nodes[member] : NULL;
}

void controller_lost(struct controller *controller, unsigned member)
{
	(void)controller;
	assert_false(here[member]);
	nlost++;
}

/* Once for each visit, with the first answer. */
char *step_rows(const struct controller *controller)
{
	(void)controller;
	return strdup("own\n");
}

void server_send_all(struct server *server, char type, const char *data,
		     size_t n)
{
	(void)server;
	assert_int_equal(type, MSG_LOOK);
	assert_int_equal(strlen(data), n);
	snprintf(sent, sizeof(sent), "%s", data);
}

void server_show(struct connection *to, char type, const char *data, size_t n)
{
	size_t at = strlen(shown);

	assert_int_equal(strlen(data), n);
	snprintf(shown + at, sizeof(shown) - at, "%s%c%.200s|",
		 to == guest ? "" : "other:", type, data);
}

/* --- steps --- */

static int begin(void **state)
{
	struct err err;

	(void)state;
	job.ntasks = NTASKS;
	c = (struct controller){.loop = &loop, .members = &job, .arg = &c};
	assert_int_equal(loop_open(&loop, &err), 0);
	assert_int_equal(query_of_step.open(&c, &err), 0);
	assert_int_equal(visitors_of_step.open(&c, &err), 0);
	nlost = 0;
	for (unsigned i = 0; i < NTASKS; i++)
		here[i] = true;
	*sent = *shown = '\0';
	return 0;
}

static int end(void **state)
{
	(void)state;
	visitors_of_step.close(&c);
	query_of_step.close(&c);
	assert_null(loop.timers.first);
	loop_close(&loop);
	return 0;
}

static void wait_for_end(void)
{
	for (int i = 0; i < PATIENCE_MS && !strstr(shown, "Y|"); i++)
		loop_for(&loop, 1);
	assert_non_null(strstr(shown, "Y|"));
}

static void seen(unsigned member, const char *text)
{
	query_of_step.told->take(&c, member, text);
}

static void visit(struct connection *from, const char *text)
{
	controller_visits(&c)->came(c.visitors, from, text);
}

static void lose(unsigned member)
{
	controller_visits(&c)->lost(c.visitors, member);
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
	assert_string_equal(shown, "S0 n0\nown\nx\n|S1 n1\nx\n|S2 n2\nx\n|"
				   "S3 n3\nx\n|Y|");
	controller_visits(&c)->left(c.visitors, guest);
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
	assert_string_equal(shown, "S0 n0\nown\nx\n|S3 n3\nx\n|I2 n2|M1|Y|");
}

/* Nobody waits for one that is lost, and what it says then doesn't count. */
static void lost(void **state)
{
	(void)state;
	visit(guest, "60000 status");
	seen(0, "1 x\n");
	seen(1, "1 x\n");
	here[1] = false;
	lose(1);
	here[2] = false;
	lose(2);
	lose(2);
	here[2] = true;
	seen(2, "1 new\n");
	loop_for(&loop, 5);
	assert_null(strstr(shown, "Y|"));
	seen(3, "1 x\n");
	wait_for_end();
	assert_string_equal(shown,
			    "S0 n0\nown\nx\n|S1 n1\nx\n|S3 n3\nx\n|M1|Y|");
	assert_int_equal(nlost, 3);
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
	seen(0, text);
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
	controller_visits(&c)->left(c.visitors, guest);
	seen(0, "1 x\n");
	for (unsigned i = 0; i < NTASKS; i++)
		seen(i, "2 y\n");
	wait_for_end();
	assert_null(strstr(shown, "x"));
	assert_non_null(strstr(shown, "other:S0 n0\nown\ny\n|"));
}

/* Ranks are told of the job's end by the controller alone. */
static void not_for_visitors(void **state)
{
	(void)state;
	*sent = '\0';
	visit(guest, "60000 ending 5");
	assert_string_equal(shown, "Yvisitors only look|");
	assert_string_equal(sent, "");
	visit(guest, "60000 endings");
	assert_string_equal(sent, "1 60000 endings");
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
		cmocka_unit_test_setup_teardown(not_for_visitors, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
