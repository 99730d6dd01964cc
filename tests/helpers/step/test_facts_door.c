/* SPDX-License-Identifier: Apache-2.0 */
/* What task 0's launcher may give to a controller beside srun, and who else may
 * not. */
#include "helpers/step/facts_door.h"

#include "helpers/conn/message.h"

#include "tests/fixtures/channel_fixture.h"
#include "tests/fixtures/idle_clock.h"

#define TEXT(number)  #number
#define VALUE(number) TEXT(number)
#define V	      VALUE(MESSAGE_VERSION)
#define HUGE_SIZE     (32UL << 20)

static const unsigned char other_secret[SECRET_SIZE] = "not the step's";

static struct facts_door door;
static struct end first, second;
static unsigned port, nled;
static char *led_with;
static size_t nled_with;
static const char *why; /* it can't lead; NULL: it can */

static void on_leads(void *arg)
{
	assert_ptr_equal(arg, &door);
	nled++;
	free(led_with);
	led_with = malloc(door.n + 1);
	assert_non_null(led_with);
	memcpy(led_with, door.text, door.n + 1);
	nled_with = door.n;
	if (why)
		facts_door_say(&door, why);
}

static int open_door(void **state)
{
	struct sockaddr_in sa;
	socklen_t size = sizeof(sa);
	int fd = socket_listen("127.0.0.1", 0, 16);
	struct err err;

	open_loop(state);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&sa, &size), 0);
	port = ntohs(sa.sin_port);
	door = (struct facts_door){.leads = on_leads, .arg = &door};
	nled = 0;
	assert_int_equal(facts_door_open(&door, fd, &step, &err), 0);
	return 0;
}

static int shut_door(void **state)
{
	end_close(&first);
	end_close(&second);
	facts_door_close(&door);
	free(led_with);
	led_with = NULL;
	return shut_loop(state);
}

static void call_with(struct end *e, const unsigned char *key)
{
	int fd = socket_connect("127.0.0.1", port);

	assert_true(fd >= 0);
	end_open_at(e, fd, true, port, key, "4711.3.0");
}

static void call(struct end *e, const char *hello)
{
	call_with(e, secret);
	end_send(e, MSG_HELLO, hello, strlen(hello));
}

static void is_let_in(struct end *e)
{
	call(e, V " 0 node1");
	end_wait(e, 1);
	assert_int_equal(e->type, MSG_WELCOME);
}

static bool is_lost(const void *arg)
{
	return ((const struct end *)arg)->lost;
}

static void is_put_out(struct end *e)
{
	run_until_so(is_lost, e);
	assert_int_equal(e->nmessages, 0);
	end_close(e);
}

static bool has_led(const void *arg)
{
	(void)arg;
	return nled;
}

static void gives(struct end *e, const char *text, size_t n)
{
	unsigned before = e->nmessages;

	end_send(e, MSG_STEP, text, n);
	end_wait(e, before + 1);
	assert_int_equal(e->type, MSG_HAVE);
	assert_int_equal(nled, 0);
}

static void leads_with(struct end *e, const char *text, size_t n)
{
	end_send(e, MSG_LEAD, "", 0);
	run_until_so(has_led, NULL);
	assert_int_equal(nled, 1);
	assert_int_equal(nled_with, n);
	assert_memory_equal(led_with, text, n);
	assert_int_equal(led_with[n], '\0');
}

/* --- tests --- */

/* All of it, NULs too; and nobody may come any more. */
static void in_order(void **state)
{
	static const char text[] = "SLURM_JOB_ID=7\0=sh\0=-c";
	int fd;

	(void)state;
	is_let_in(&first);
	gives(&first, text, sizeof(text));
	leads_with(&first, text, sizeof(text));
	run_until_so(is_lost, &first);
	fd = socket_connect("127.0.0.1", port);
	run_for(10);
	assert_int_equal(socket_error(fd), ECONNREFUSED);
	close(fd);
}

/* The last facts count. */
static void given_twice(void **state)
{
	(void)state;
	is_let_in(&first);
	gives(&first, "a=1", 4);
	gives(&first, "b=2", 4);
	leads_with(&first, "b=2", 4);
}

/* An order that nobody can follow is none. */
static void leads_without_facts(void **state)
{
	(void)state;
	is_let_in(&first);
	end_send(&first, MSG_LEAD, "", 0);
	gives(&first, "a=1", 4);
	run_for(100);
	assert_int_equal(nled, 0);
	leads_with(&first, "a=1", 4);
}

/* Whatever follows isn't heard. */
static void leads_once(void **state)
{
	(void)state;
	is_let_in(&first);
	gives(&first, "a=1", 4);
	end_send(&first, MSG_LEAD, "", 0);
	end_send(&first, MSG_LEAD, "", 0);
	run_until_so(is_lost, &first);
	run_for(100);
	assert_int_equal(nled, 1);
}

/* Whom it has facts of says why it can't lead, before the door is shut. */
static void cannot_lead(void **state)
{
	unsigned before;

	(void)state;
	why = "dist-train: no port\n";
	is_let_in(&first);
	gives(&first, "a", 1);
	before = first.nmessages;
	end_send(&first, MSG_LEAD, "", 0);
	end_wait(&first, before + 1);
	assert_int_equal(first.type, MSG_SAY);
	assert_string_equal(first.last, why);
	run_until_so(is_lost, &first);
	why = NULL;
}

static void huge_text(void **state)
{
	char *text = repeated('x', HUGE_SIZE);

	(void)state;
	is_let_in(&first);
	gives(&first, text, HUGE_SIZE);
	leads_with(&first, text, HUGE_SIZE);
	free(text);
}

/* Task 0's alone, once. */
static void who_may_not(void **state)
{
	static const char *const hellos[] = {V " 1 node2", "", "x", V};

	(void)state;
	for (size_t i = 0; i < COUNT(hellos); i++) {
		call(&second, hellos[i]);
		is_put_out(&second);
	}
	is_let_in(&first);
	call(&second, V " 0 node1");
	is_put_out(&second);
	assert_false(first.lost);
	gives(&first, "a=1", 4);
	/* When that one is gone, another one is the first */
	end_close(&first);
	run_for(100);
	is_let_in(&first);
	leads_with(&first, "a=1", 4);
}

/* It is told why, and does without. */
static void other_release(void **state)
{
	(void)state;
	call(&second, "1" V " 0 node1");
	end_wait(&second, 2);
	assert_int_equal(second.type, MSG_SAY);
	assert_non_null(strstr(second.last,
			       "node1 speaks version 1" V " of the launchers' "
			       "messages, and the step's controller version " V
			       " (slurm-dist-train "));
	end_send(&second, MSG_STEP, "b=2", 4);
	run_until(&second.lost);
	is_let_in(&first);
}

static void before_hello(void **state)
{
	static const char types[] = {MSG_STEP, MSG_LEAD, MSG_FAILED};

	(void)state;
	for (size_t i = 0; i < COUNT(types); i++) {
		call_with(&second, secret);
		end_send(&second, types[i], "a=1", 4);
		is_put_out(&second);
	}
	is_let_in(&first);
	call_with(&second, secret);
	end_send(&second, MSG_STEP, "b=2", 4);
	is_put_out(&second);
	end_send(&first, MSG_LEAD, "", 0);
	run_for(100);
	assert_int_equal(nled, 0);
}

/* Who doesn't know the secret, speaks otherwise, or says nothing. */
static void strangers(void **state)
{
	int junk = socket_connect("127.0.0.1", port);
	int silent = socket_connect("127.0.0.1", port);
	char *text = repeated('j', 4000), byte;
	ssize_t n;

	(void)state;
	call_with(&second, other_secret);
	end_send(&second, MSG_HELLO, V " 0 node1", strlen(V " 0 node1"));
	is_put_out(&second);
	run_for(10);
	assert_int_equal(write(junk, text, 4000), 4000);
	is_let_in(&first);
	run_for(20000);
	while ((n = recv(junk, &byte, 1, MSG_DONTWAIT)) > 0)
		;
	assert_true(n == 0 || errno == ECONNRESET);
	assert_int_equal(recv(silent, &byte, 1, MSG_DONTWAIT), 0);
	assert_false(first.lost);
	gives(&first, "a=1", 4);
	leads_with(&first, "a=1", 4);
	close(junk);
	close(silent);
	free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_door, shut_door)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(in_order),
		TEST(given_twice),
		TEST(leads_without_facts),
		TEST(leads_once),
		TEST(cannot_lead),
		TEST(huge_text),
		TEST(who_may_not),
		TEST(other_release),
		TEST(before_hello),
		TEST(strangers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
