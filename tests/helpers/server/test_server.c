/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/gather/gather.h"
#include "helpers/progress/progress.h"

#include "tests/fixtures/idle_clock.h"
#include "tests/fixtures/server_fixture.h"

static void all_well(void **state)
{
	(void)state;
	hub_begin(3);
	join(1);
	join(2);
	tell(1, MSG_UP, "4");
	tell(2, MSG_UP, "3");
	for (unsigned i = 0; i < 3; i++)
		tell(i, MSG_ENDED, "0 0");
	/* members leave when they are told to; the first one last */
	run_until(&launchers[1].left);
	run_until(&launchers[2].left);
	assert_false(launchers[0].left);
	for (unsigned i = 1; i < 3; i++) {
		assert_string_equal(launchers[i].log, "L0 ");
		client_close(launchers[i].member);
		launchers[i].member = NULL;
	}
	run_until(&launchers[0].left);
	assert_int_equal(up, 7);
	assert_string_equal(said, "");
	shut();
}

/* A member that doesn't go: the first one waits a little only. */
static void one_stays(void **state)
{
	(void)state;
	hub_begin(2);
	join(1);
	wait_for(1);
	assert_string_equal(server_node_of(server, 1), "node2");
	tell(0, MSG_ENDED, "0 0");
	tell(1, MSG_ENDED, "0 0");
	run_until(&all_left);
	shut();
}

/* A launcher that is silent while others speak isn't given lines to say. */
static void speaker(void **state)
{
	(void)state;
	hub_begin(3);
	assert_int_equal(server_speaker(server), MEMBER_NONE);
	join(1);
	join(2);
	wait_for(1);
	wait_for(2);
	assert_int_equal(server_speaker(server), 1);
	tell(1, MSG_QUIET, "0 1 0");
	run_until_so(has_text, quiet);
	run_for(4000);
	assert_int_equal(server_speaker(server), 1);
	*quiet = '\0';
	tell(2, MSG_QUIET, "0 1 0");
	run_until_so(has_text, quiet);
	assert_int_equal(server_speaker(server), 2);
	*quiet = '\0';
	tell(1, MSG_QUIET, "0 1 0");
	run_until_so(has_text, quiet);
	assert_int_equal(server_speaker(server), 1);
	shut();
}

static bool is_noted(const void *arg)
{
	return strstr(arg, "noted");
}

/* Who has subscribed hears it; when all are
 * told to leave, only who hears to the end. */
static void quiet_members(void **state)
{
	(void)state;
	hub_begin(2);
	join(1);
	wait_for(1);
	tell(1, MSG_QUIET, "0 1 0");
	run_until_so(has_text, quiet);
	tell(0, MSG_QUIET, "0 2 5000");
	assert_string_equal(quiet, "1: 0 1 0; 0: 0 2 5000; ");
	tell(0, MSG_ENDED, "0 0");
	tell(1, MSG_ENDED, "0 0");
	run_until(&launchers[1].left);
	tell(1, MSG_QUIET, "0 0 0");
	tell(1, MSG_NOTE, "noted");
	run_until_so(is_noted, quiet);
	assert_string_equal(quiet, "1: 0 1 0; 0: 0 2 5000; 1: noted; ");
	run_until(&all_left);
	shut();
}

static void first_failure(void **state)
{
	(void)state;
	hub_begin(3);
	join(2);
	join(1);
	tell(2, MSG_FAILED, "0 3 0 0");
	run_until_so(is_ended, launchers[1].log);
	for (unsigned i = 0; i < 3; i++)
		tell(i, MSG_ENDED, "0 1");
	run_until(&all_left);
	assert_string_equal(launchers[0].log, "E0 L3 ");
	assert_string_equal(launchers[1].log, "E0 L3 ");
	assert_string_equal(launchers[2].log, "E0 R L3 ");
	assert_string_equal(said, "dist-train: 3 other processes were ended\n");
	shut();
}

static void tell_piece(unsigned i, const char *folder, const char *data)
{
	struct gather_piece piece = {folder, data, strlen(data)};
	size_t n;
	char *text = gather_text(&piece, &n);

	assert_non_null(text);
	if (i)
		client_send(launchers[i].member, MSG_GATHER, text, n);
	else
		server_handle(server, 0, MSG_GATHER, text, n);
	free(text);
}

/* Each tells a piece, once; all get all, in the order of members. */
static void gathers(void **state)
{
	(void)state;
	hub_begin(3);
	join(2);
	tell(2, MSG_GATHER, ""); /* no piece */
	tell_piece(2, "", "c;");
	tell_piece(2, "", "again");
	tell_piece(0, "/dir", "a;");
	wait_for(2);
	run_for(20);
	assert_string_equal(launchers[0].log, "");
	join(1);
	tell_piece(1, "", "b;");
	run_until_so(has_text, launchers[1].log);
	run_until_so(has_text, launchers[2].log);
	for (unsigned i = 0; i < 3; i++)
		assert_string_equal(launchers[i].log, "X/dir|a;b;c; ");
	assert_string_equal(said, "");
	shut();
}

/* Pieces that need no more than to be there, and nobody gets too much. */
static void gathers_nothing(void **state)
{
	(void)state;
	hub_begin(1);
	tell_piece(0, "", "");
	assert_string_equal(launchers[0].log, "X| ");
	tell_piece(0, "", "");
	assert_string_equal(launchers[0].log, "X| ");
	shut();
}

static bool has_node(const char *name)
{
	const struct connection *c = server_members(server)->first;

	while (c && strcmp(c->node, name) != 0)
		c = c->next;
	return c;
}

/* Killed: its socket closes. */
static void member_dies(void **state)
{
	(void)state;
	hub_begin(3);
	join(1);
	join(2);
	wait_for(1);
	wait_for(2);
	assert_true(has_node("node3"));
	client_close(launchers[2].member);
	launchers[2].member = NULL;
	run_until_so(is_ended, launchers[1].log);
	assert_false(has_node("node3"));
	assert_string_equal(said, "dist-train: the launcher of task 2 on node3 "
				  "has ended or lost its connection (first "
				  "failure)\n");
	shut();
}

static void missing(void **state)
{
	struct absence a = {.ntasks = 3,
			    .nodes = "node[1-4]",
			    .after_s = 60,
			    .means = "; so what"};
	char line[256];

	(void)state;
	hub_begin(3);
	join(2);
	wait_for(2);
	a.here = (struct present){server_members(server), "node1"};
	assert_true(absent_line(&a, line, sizeof(line)));
	assert_non_null(strstr(line, "1 of 3 tasks"));
	assert_non_null(strstr(line, "silent nodes: node2,node4; so what\n"));
	shut();
}

static void hub_dies(void **state)
{
	(void)state;
	hub_begin(2);
	join(1);
	wait_for(1);
	run_for(20);
	server_close(server);
	server = NULL;
	run_until(&launchers[1].lost);
	shut();
}

/* Nobody is there, then it comes late; or never. */
static void late_hub(void **state)
{
	(void)state;
	hub_begin(2);
	server_close(server);
	join(1);
	run_for(100);
	assert_false(launchers[1].lost);
	first_port += 2; /* and its first port isn't the member's */
	struct launcher waiting = launchers[1];
	hub_begin(2);
	launchers[1] = waiting;
	first_port -= 2;
	wait_for(1);
	shut();
}

static void no_hub(void **state)
{
	(void)state;
	first_port += 2; /* where nobody listens */
	join_as(1, &step, 1);
	run_until(&launchers[1].late);
	assert_int_equal(launchers[1].why, ECONNREFUSED);
	first_port -= 2;
	client_close(launchers[1].member);
	launchers[1].member = NULL;
}

static int bind_to(unsigned port, bool listens)
{
	struct sockaddr_in sa = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	assert_int_equal(bind(fd, (struct sockaddr *)&sa, sizeof(sa)), 0);
	assert_int_equal(listens ? listen(fd, 5) : 0, 0);
	return fd;
}

/* Others have all ports but the last and don't talk: the next ones are tried
 * before the time is over, and the user is told. */
static void taken_ports(void **state)
{
	int fd[NTRIES - 1];
	char line[128];

	(void)state;
	hub_begin(1);
	server_close(server);
	for (unsigned i = 0; i < COUNT(fd); i++)
		fd[i] = bind_to(first_port + i, true);
	hub_begin(2);
	snprintf(line, sizeof(line),
		 "port %u on node1 is in use, by another program or another "
		 "user there; the step's launchers meet at port %u\n",
		 first_port, first_port + NTRIES - 1);
	assert_non_null(strstr(said, line));
	join_as(1, &step, 10);
	wait_for(1);
	assert_false(launchers[1].late);
	for (unsigned i = 0; i < COUNT(fd); i++)
		close(fd[i]);
	shut();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_well),
		cmocka_unit_test(one_stays),
		cmocka_unit_test(quiet_members),
		cmocka_unit_test(speaker),
		cmocka_unit_test(first_failure),
		cmocka_unit_test(member_dies),
		cmocka_unit_test(missing),
		cmocka_unit_test(hub_dies),
		cmocka_unit_test(late_hub),
		cmocka_unit_test(no_hub),
		cmocka_unit_test(taken_ports),
		cmocka_unit_test(gathers),
		cmocka_unit_test(gathers_nothing),
	};

	return cmocka_run_group_tests(tests, open_loop, shut_loop);
}
