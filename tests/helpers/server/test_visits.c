/* SPDX-License-Identifier: Apache-2.0 */
/* Visitors of the server, over loopback: who is let in, who is told why not,
 * and what it costs when they don't read. */
#include "helpers/conn/message.h"

#include "tests/fixtures/server_fixture.h"

#define NVISITORS (VISITORS_MAX + 2)
#define PIECE	  (1U << 20)
#define NLARGE	  300 /* launchers */

struct guest {
	struct client *client;
	char hello[64];
	char log[256];
	bool told, late, lost;
};

static struct guest guests[NVISITORS];
static struct connection *came[NVISITORS];
static unsigned ncame, nleft;
static char asked[64];

/* --- the launcher's side --- */

static void on_came(void *arg, struct connection *visitor, const char *text)
{
	(void)arg;
	snprintf(asked, sizeof(asked), "%s", text);
	came[ncame++] = visitor;
	server_show(visitor, MSG_SHOW, "0 node1\nx\n", 10);
	server_show(visitor, MSG_SHOWN, "", 0);
}

static void on_left(void *arg, struct connection *visitor)
{
	(void)arg;
	(void)visitor;
	nleft++;
}

static void on_unseen(void *arg, unsigned member)
{
	(void)arg;
	(void)member;
}

static const struct visits visits = {
	.came = on_came,
	.left = on_left,
	.lost = on_unseen,
};

/* --- the visitor's --- */

static void hear(void *arg, char type, const char *data, size_t n)
{
	struct guest *g = arg;
	size_t at = strlen(g->log);

	(void)n;
	snprintf(g->log + at, sizeof(g->log) - at, "%c%.150s ", type, data);
	g->told = g->told || type == MSG_SHOWN;
}

static void on_late(void *arg, int why)
{
	(void)why;
	((struct guest *)arg)->late = true;
}

static void on_gone(void *arg, int why)
{
	(void)why;
	((struct guest *)arg)->lost = true;
}

static void visit(unsigned i, const char *hello)
{
	struct guest *g = &guests[i];
	struct client_options o = {
		.step = &step,
		.ip = "127.0.0.1",
		.hello_type = MSG_VISIT,
		.hello = g->hello,
		.timeout_s = 1,
		.port = port_to_try,
		.message = hear,
		.late = on_late,
		.lost = on_gone,
		.arg = g,
	};
	struct err err;

	*g = (struct guest){.client = NULL};
	snprintf(g->hello, sizeof(g->hello), "%s", hello);
	g->client = client_open(&o, &err);
	assert_non_null(g->client);
}

static void ask(unsigned i)
{
	char hello[64];

	snprintf(hello, sizeof(hello), "%d 100 status of", MESSAGE_VERSION);
	visit(i, hello);
	run_until(&guests[i].told);
}

static void leave(unsigned i)
{
	client_close(guests[i].client);
	guests[i].client = NULL;
}

static void begin_of(unsigned nlaunchers, const struct visits *with)
{
	hub_visits = with;
	ncame = nleft = 0;
	hub_begin(nlaunchers);
}

static void begin(const struct visits *with)
{
	begin_of(2, with);
}

static void say_more(unsigned i, char type, const char *text)
{
	client_send(guests[i].client, type, text, strlen(text));
}

static void end(void)
{
	for (unsigned i = 0; i < NVISITORS; i++)
		leave(i);
	shut();
	hub_visits = NULL;
}

static void wait_for_nleft(unsigned n)
{
	for (int i = 0; i < PATIENCE_MS && nleft < n; i++)
		run_for(1);
	assert_int_equal(nleft, n);
}

/* --- tests --- */

static void is_told(void **state)
{
	(void)state;
	begin(&visits);
	ask(0);
	assert_string_equal(asked, "100 status of");
	assert_string_equal(guests[0].log, "S0 node1\nx\n Y ");
	leave(0);
	wait_for_nleft(1);
	end();
}

/* Who isn't let in is told so, and doesn't get in by asking again. */
static void another_release(void **state)
{
	char hello[64], expected[64];

	(void)state;
	begin(&visits);
	visit(0, "7 100 status");
	run_until(&guests[0].told);
	snprintf(expected, sizeof(expected), "speak version %d,",
		 MESSAGE_VERSION);
	assert_non_null(strstr(guests[0].log, expected));
	assert_non_null(strstr(guests[0].log, "command version 7"));
	snprintf(hello, sizeof(hello), "%d 100 status", MESSAGE_VERSION);
	say_more(0, MSG_VISIT, hello);
	run_until(&guests[0].lost);
	assert_int_equal(ncame, 0);
	assert_int_equal(nleft, 0);
	end();
}

/* The one who has no place is told so, and gets it when another goes. */
static void full(void **state)
{
	(void)state;
	begin(&visits);
	for (unsigned i = 0; i <= VISITORS_MAX; i++)
		ask(i);
	assert_int_equal(ncame, VISITORS_MAX);
	assert_non_null(strstr(guests[VISITORS_MAX].log, "too many commands"));
	leave(0);
	wait_for_nleft(1);
	leave(VISITORS_MAX);
	ask(0);
	assert_int_equal(ncame, VISITORS_MAX + 1);
	end();
}

/* He may ask again, and nothing else. */
static void asks_again(void **state)
{
	(void)state;
	begin(&visits);
	ask(0);
	guests[0].told = false;
	say_more(0, MSG_VISIT, guests[0].hello);
	run_until(&guests[0].told);
	assert_int_equal(ncame, 2);
	say_more(0, MSG_STOP, "1 0 x");
	run_until(&guests[0].lost);
	assert_int_equal(nleft, 1);
	assert_string_equal(launchers[0].log, "");
	end();
}

/* A visitor who names himself as a launcher does would be forgotten as one:
 * what is told to him next would go to who has gone. */
static void wants_to_be_a_launcher(void **state)
{
	char hello[64];

	(void)state;
	begin(&visits);
	ask(0);
	snprintf(hello, sizeof(hello), "%d 1 node2", MESSAGE_VERSION);
	say_more(0, MSG_HELLO, hello);
	run_until(&guests[0].lost);
	assert_false(server_has(server, 1));
	assert_int_equal(nleft, 1);
	end();
}

/* One that has no visits lets nobody in. */
static void no_visits(void **state)
{
	char hello[64];

	(void)state;
	snprintf(hello, sizeof(hello), "%d 100 status", MESSAGE_VERSION);
	begin(NULL);
	visit(0, hello);
	run_until(&guests[0].late);
	assert_string_equal(guests[0].log, "");
	end();
}

/* What waits for him is bounded; he is lost, and not in the call. */
static void reads_nothing(void **state)
{
	char *piece = calloc(1, PIECE);

	(void)state;
	assert_non_null(piece);
	for (size_t i = 0; i < PIECE; i++) /* can't be packed */
		piece[i] = (char)random();
	begin(&visits);
	ask(0);
	for (unsigned i = 0; i < 64; i++)
		server_show(came[0], MSG_SHOW, piece, PIECE);
	assert_int_equal(nleft, 0);
	wait_for_nleft(1);
	free(piece);
	end();
}

/* All launchers of a large step answer before he has read a byte. */
static void large_step(void **state)
{
	char *rows = repeated('x', SIGHT_MAX);

	(void)state;
	begin_of(NLARGE, &visits);
	ask(0);
	guests[0].told = false;
	for (unsigned i = 0; i < NLARGE; i++)
		server_show(came[0], MSG_SHOW, rows, SIGHT_MAX);
	server_show(came[0], MSG_SHOWN, "", 0);
	run_until(&guests[0].told);
	assert_false(guests[0].lost);
	assert_int_equal(nleft, 0);
	free(rows);
	end();
}

/* The leader leaves: what the visitor's side holds is dropped with it. */
static void member_beside(void **state)
{
	(void)state;
	begin(&visits);
	join(1);
	wait_for(1);
	ask(0);
	tell(1, MSG_SEEN, "1 x\n");
	tell(0, MSG_ENDED, "0 0");
	tell(1, MSG_ENDED, "0 0");
	run_until(&launchers[1].left);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_told),
		cmocka_unit_test(another_release),
		cmocka_unit_test(full),
		cmocka_unit_test(asks_again),
		cmocka_unit_test(no_visits),
		cmocka_unit_test(wants_to_be_a_launcher),
		cmocka_unit_test(reads_nothing),
		cmocka_unit_test(large_step),
		cmocka_unit_test(member_beside),
	};

	return cmocka_run_group_tests(tests, open_loop, shut_loop);
}
