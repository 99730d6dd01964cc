/* SPDX-License-Identifier: Apache-2.0 */
/* One long text to very many: the server's part by itself, then members that
 * fetch it over real connections, with inner ones that fail. */
#include "helpers/gather/branches.h"

#include "helpers/conn/connections.h"
#include "helpers/conn/message.h"
#include "helpers/gather/fetch.h"
#include "helpers/gather/gather.h"
#include "tests/fixtures/channel_fixture.h"
#include "tests/fixtures/idle_clock.h"

#include <stdlib.h>

#define N      200
#define INNER  32
#define SIZE   (400U << 10)
#define PORT_0 23000

static char *text;
static struct branches *branches;
static struct fetch *fetch[N];
static bool gone[N], has[N], hung[N];
static unsigned nwhole, nspread, nfetch, nserves, nask, nhave;
static bool all_have;
static struct fetch_options options[N];
static unsigned number[N];

/* Noise can't be packed. */
static void make_text(void)
{
	if (text)
		return;
	text = malloc(SIZE + 1);
	assert_non_null(text);
	srandom(7);
	for (size_t i = 0; i < SIZE; i++)
		text[i] = (char)random();
	text[SIZE] = '\0';
}

/* --- a member --- */

static void take(void *arg, char type, const char *data, size_t n)
{
	unsigned i = *(unsigned *)arg;

	assert_int_equal(type, MSG_GATHERED);
	assert_int_equal(n, SIZE);
	assert_memory_equal(data, text, SIZE);
	nhave += !has[i];
	has[i] = true;
	all_have = nhave == N;
}

/* To the server, at once. */
static void say(void *arg, char type, const char *data, size_t n)
{
	unsigned i = *(unsigned *)arg;

	(void)n;
	if (gone[i])
		return;
	if (type == MSG_SERVES) {
		nserves++;
		branches_serves(branches, i, hung[i] ? "1" : data);
	} else if (type == MSG_ASK) {
		nask++;
		branches_asks(branches, i);
	}
}

static unsigned own_port(const void *arg, unsigned try)
{
	return try < 8 ? PORT_0 + *(const unsigned *)arg + 1000 *
	try:
		0;
}

static void add_fetch(unsigned i)
{
	number[i] = i;
	options[i] = (struct fetch_options){
		.step = &step,
		.n = N,
		.ip = "127.0.0.1",
		.node = "node1",
		.port = own_port,
		.port_arg = &number[i],
		.send = say,
		.message = take,
		.arg = &number[i],
	};
	fetch[i] = fetch_new(&options[i]);
	assert_non_null(fetch[i]);
}

/* --- the server --- */

/* As the connection would hand it over. */
static void on_send(void *arg, unsigned member, struct msgbuf *m)
{
	char *data;

	(void)arg;
	nspread += m->data[0] == MSG_SPREAD;
	nfetch += m->data[0] == MSG_FETCH;
	nwhole += m->data[0] == MSG_GATHERED;
	if (gone[member] || !fetch[member])
		return;
	if (m->data[0] == MSG_GATHERED) {
		take(&number[member], m->data[0], m->data + 1, m->n - 1);
		return;
	}
	data = malloc(m->n);
	assert_non_null(data);
	memcpy(data, m->data + 1, m->n - 1);
	data[m->n - 1] = '\0';
	assert_true(fetch_message(fetch[member], m->data[0], data, m->n - 1));
	free(data);
}

static bool is_here(void *arg, unsigned member)
{
	(void)arg;
	return !gone[member];
}

static int on_address(void *arg, unsigned member, char ret[IP_TEXT_SIZE])
{
	(void)arg;
	(void)member;
	strcpy(ret, "127.0.0.1");
	return 0;
}

static void begin(bool with_members)
{
	const struct branches_options o = {
		.loop = &loop,
		.n = N,
		.send = on_send,
		.here = is_here,
		.address = on_address,
	};

	make_text();
	memset(gone, 0, sizeof(gone));
	memset(has, 0, sizeof(has));
	memset(hung, 0, sizeof(hung));
	nwhole = nspread = nfetch = nserves = nask = nhave = 0;
	all_have = false;
	branches = branches_new(&o);
	assert_non_null(branches);
	for (unsigned i = 0; i < N && with_members; i++)
		add_fetch(i);
}

static void give(unsigned n, size_t size)
{
	unsigned member[N];

	for (unsigned i = 0; i < n; i++)
		member[i] = i;
	assert_int_equal(
		branches_give(branches, member, n, MSG_GATHERED, text, size),
		0);
}

static void end(void)
{
	for (unsigned i = 0; i < N; i++) {
		fetch_free(fetch[i]);
		fetch[i] = NULL;
	}
	branches_free(branches);
}

/* --- the server by itself --- */

static void few_or_little(void **state)
{
	(void)state;
	begin(false);
	give(64, SIZE);
	assert_int_equal(nwhole, 64);
	give(N, 1000);
	assert_int_equal(nwhole, 64 + N);
	assert_int_equal(nspread, 0);
	end();
}

/* Who has to say what, and nonsense of others. */
static void the_servers_part(void **state)
{
	(void)state;
	begin(false);
	give(N, SIZE);
	assert_int_equal(nspread, INNER);
	assert_int_equal(nwhole, 0);
	branches_asks(branches, 1);	      /* it wasn't sent anywhere */
	branches_serves(branches, 1, "4000"); /* and isn't inner */
	assert_int_equal(nwhole + nfetch, 0);
	branches_serves(branches, 0, "4000");
	assert_int_equal(nfetch, 6); /* 200 / 32 */
	branches_serves(branches, 0, "4000");
	assert_int_equal(nfetch, 6);
	branches_asks(branches, 1);
	branches_asks(branches, 1);
	assert_int_equal(nwhole, 1);
	branches_serves(branches, 7, "0"); /* it can't */
	assert_int_equal(nwhole, 1 + 5);
	branches_serves(branches, 13, "70000");
	assert_int_equal(nwhole, 1 + 5 + 5);
	end();
}

/* An inner member that is lost before it has said anything, and one that never
 * does. */
static void silent_inner(void **state)
{
	(void)state;
	begin(false);
	give(N, SIZE);
	gone[0] = true;
	branches_lost(branches, 0);
	assert_int_equal(nwhole, 6);
	branches_serves(branches, 0, "4000"); /* too late */
	assert_int_equal(nfetch, 0);
	run_for(BRANCHES_PATIENCE_MS + 50);
	assert_int_equal(nwhole, N - INNER);
	end();
}

/* --- with members --- */

static void all_get_it(void **state)
{
	(void)state;
	begin(true);
	give(N, SIZE);
	run_until(&all_have);
	assert_int_equal(nserves, INNER);
	assert_int_equal(nwhole + nask, 0); /* nothing more from the server */
	end();
}

/* Inner members leave while their branches are at work: the branches ask. */
static void lost_inner(void **state)
{
	(void)state;
	begin(true);
	give(N, SIZE);
	while (!nfetch)
		run_for(1);
	for (unsigned i = 0; i < 30; i++) {
		if (!has[i] || nhave == N)
			continue;
		gone[i] = true; /* inner: it had its text at once */
		fetch_free(fetch[i]);
		fetch[i] = NULL;
		branches_lost(branches, i);
	}
	run_until(&all_have);
	end();
}

/* A stranger to the step, who knows its secret nevertheless, hands on another
 * text at the port where a branch is sent: nobody takes it. */
static struct connections forger;
static bool asked;

static void forge(void *arg, char type, const char *data, size_t n)
{
	struct connection *c = arg;
	struct msgbuf *welcome = msgbuf_new(MSG_WELCOME, "", 0);
	struct msgbuf *lie = msgbuf_new(MSG_SPREAD, "Xanother text", 13);

	(void)type;
	(void)data;
	(void)n;
	connection_is_known(c);
	secure_conn_send(c->conn, welcome);
	secure_conn_send(c->conn, lie);
	msgbuf_drop(welcome);
	msgbuf_drop(lie);
}

static void forger_lost(void *arg, int why)
{
	(void)why;
	connection_drop(arg);
}

static void note_ask(void *arg, char type, const char *data, size_t n)
{
	(void)arg;
	(void)data;
	(void)n;
	asked = type == MSG_ASK;
}

static void forged_text(void **state)
{
	char where[IP_TEXT_SIZE + DIGEST_SIZE + 16], digest[DIGEST_SIZE];
	struct err err;

	(void)state;
	begin(false);
	add_fetch(0);
	options[0].send = note_ask;
	fetch_free(fetch[0]);
	fetch[0] = fetch_new(&options[0]);
	forger = (struct connections){
		.step = step,
		.ip = "127.0.0.1",
		.node = "node2",
		.nmembers = 1,
		.message = forge,
		.lost = forger_lost,
	};
	forger.step.id = "4711.3.0 spread";
	connections_init(&forger);
	assert_int_equal(
		connections_listen(&forger, own_port, &number[0], &err), 0);
	digest_make(text, SIZE, digest);
	snprintf(where, sizeof(where), "%u %s 127.0.0.1", forger.step.port,
		 digest);
	fetch_message(fetch[0], MSG_FETCH, where, strlen(where));
	run_until(&asked);
	assert_false(has[0]);
	connections_close(&forger);
	end();
}

/* What the server would never say. */
static void nonsense(void **state)
{
	static const char *const wheres[] = {
		"",
		"1",
		"1 ",
		"0 x 127.0.0.1",
		"x y z",
		"1 abc 1.2.3.4",
		"99999 x 1.2.3.4",
	};

	(void)state;
	begin(false);
	add_fetch(0);
	for (size_t i = 0; i < COUNT(wheres); i++)
		assert_true(fetch_message(fetch[0], MSG_FETCH, wheres[i],
					  strlen(wheres[i])));
	assert_true(fetch_message(fetch[0], MSG_SPREAD, "", 0));
	assert_false(fetch_message(fetch[0], MSG_GO, "0", 1));
	assert_int_equal(nhave, 0);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_or_little),
		cmocka_unit_test(the_servers_part),
		cmocka_unit_test(silent_inner),
		cmocka_unit_test(all_get_it),
		cmocka_unit_test(lost_inner),
		cmocka_unit_test(forged_text),
		cmocka_unit_test(nonsense),
	};
	int failed = cmocka_run_group_tests(tests, open_loop, shut_loop);

	free(text);
	return failed;
}
