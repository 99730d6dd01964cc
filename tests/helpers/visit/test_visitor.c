/* SPDX-License-Identifier: Apache-2.0 */
/* A command asks a step whose launchers are the user's own programs, and tell
 * what they like. MUNGE is a stand-in. */
#include "helpers/visit/visitor.h"

#include "core/roles/role_plan.h"
#include "helpers/auth/munge.h"
#include "helpers/conn/connections.h"
#include "helpers/conn/message.h"

#include "tests/fixtures/server_fixture.h"

static struct found_node node = {.name = "node1", .addr = "127.0.0.1"};
static const struct found_step found = {
	.job_id = 4711,
	.step_id = 3,
	.name = "4711.3",
	.running = true,
	.nnodes = 1,
	.nfound = 1,
	.node = &node,
	.ports = {.min = PORT_MIN, .max = PORT_MIN + 7999},
};

/* What the launcher tells. */
static struct {
	char type;
	const char *text;
	size_t n;
	unsigned times;
} told[3];

static char shown[256], line[1024], why[1024];
static unsigned nshown;
static bool done;

int munge_open(const char *credential, const char *id,
	       unsigned char ret[SECRET_SIZE], struct err *err)
{
	(void)credential;
	(void)id;
	(void)err;
	memcpy(ret, secret, SECRET_SIZE);
	return 0;
}

/* --- the launcher's side --- */

static void on_came(void *arg, struct connection *c, const char *text)
{
	(void)arg;
	(void)text;
	secure_conn_limit(c->conn, 0);
	for (size_t i = 0; i < COUNT(told) && told[i].type; i++)
		for (unsigned k = 0; k < told[i].times; k++)
			server_show(c, told[i].type, told[i].text, told[i].n);
}

static void on_left(void *arg, struct connection *c)
{
	(void)arg;
	(void)c;
}

static const struct visits visits = {.came = on_came, .left = on_left};

static void tells(unsigned i, char type, const char *text, unsigned times)
{
	told[i].type = type;
	told[i].text = text;
	told[i].n = strlen(text);
	told[i].times = times;
}

/* --- the command's --- */

static void on_shown(void *arg, unsigned member, const char *name, char *rows)
{
	(void)arg;
	(void)member;
	nshown++;
	snprintf(shown, sizeof(shown), "%s: %s", name, rows);
}

static void on_line(void *arg, const char *text)
{
	(void)arg;
	snprintf(line, sizeof(line), "%s", text);
}

static void on_done(void *arg, const struct err *err)
{
	(void)arg;
	snprintf(why, sizeof(why), "%s", err ? err->text : "");
	done = true;
}

static void ask(void)
{
	const struct visitor_calls calls = {.done = on_done};
	const struct visit visit = {
		.step = &found,
		.what = "status",
		.ms = 10000,
		.shown = on_shown,
		.missing = on_line,
	};
	const struct port_range range = {PORT_MIN, PORT_MIN + 7999, 0, 0};
	struct visitor *v;
	struct err err;

	nshown = 0;
	done = false;
	*shown = *line = *why = '\0';
	first_port = port_of_launchers(4711, 3, 0, &range, 0);
	hub_visits = &visits;
	hub_answer = "MUNGE:good";
	hub_begin(1);
	v = visitor_open(&visit, &loop, &calls, &err);
	assert_non_null(v);
	run_until(&done);
	visitor_close(v);
	shut();
	memset(told, 0, sizeof(told));
}

/* --- tests --- */

/* No command for a terminal comes through, wherever it stands. */
static void only_text_is_shown(void **state)
{
	(void)state;
	tells(0, MSG_SHOW, "0 n\033[2J\nframe\tf\033]0;x\a\n", 1);
	tells(1, MSG_SILENT, "1 m\033c", 1);
	tells(2, MSG_SHOWN, "", 1);
	ask();
	assert_string_equal(shown, "n?[2J: frame\tf?]0;x?\n");
	assert_string_equal(line, "m?c doesn't answer in time");
	assert_string_equal(why, "");
	tells(0, MSG_SHOWN, "no\033[31m", 1);
	ask();
	assert_string_equal(why, "step 4711.3: no?[31m");
}

/* A launcher is heard once, and in all not more than launchers have to say. */
static void so_much_is_heard(void **state)
{
	char *much = repeated('x', SIGHT_MAX), *more = repeated('y', 1U << 20);

	(void)state;
	tells(0, MSG_SHOW, "0 n\nrank\n", 1000);
	tells(1, MSG_SHOWN, "", 1);
	ask();
	assert_int_equal(nshown, 1);
	assert_string_equal(why, "");
	memcpy(much, "0 n\n", 4);
	tells(0, MSG_SHOW, much, 300);
	tells(1, MSG_SHOWN, "", 1);
	ask();
	assert_int_equal(nshown, 1);
	assert_non_null(strstr(why, "tells more than 64 MiB"));
	memcpy(more, "0 n\n", 4);
	tells(0, MSG_SHOW, more, 1);
	tells(1, MSG_SHOWN, "", 1);
	ask();
	assert_int_equal(nshown, 0);
	assert_non_null(strstr(why, "connection to node1 is lost"));
	free(much);
	free(more);
}

/* A world of a step with roles is at its own ports: here those of the step. */
static void worlds_are_asked(void **state)
{
	const struct port_range all = {PORT_MIN, PORT_MIN + 7999, 0, 0};
	const unsigned port = port_of_launchers(4711, 3, 0, &all, 0);
	struct port_range range = {.min = 0};
	char rows[256];
	unsigned block = port - ROLE_PORT_BLOCK;

	(void)state;
	do {
		range.min = ++block + ROLE_PORTS_MAX;
		range.max = block + ROLE_PORT_BLOCK - 1;
	} while (port_of_launchers(4711, 3, 0, &range, 0) != port);
	snprintf(rows, sizeof(rows),
		 "0 n\nrole\ta\t0\tended\thttp://127.0.0.1:%u\ta\n"
		 "role\tb\t1\tready\thttp://127.0.0.1:%u\tb.1\n",
		 block, block);
	tells(0, MSG_SHOW, rows, 1);
	tells(1, MSG_SILENT, "1 m", 1);
	tells(2, MSG_SHOWN, "", 1);
	ask();
	assert_string_equal(why, "");
	assert_int_equal(nshown, 2);
	assert_string_equal(line, "b.1: m doesn't answer in time");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_text_is_shown),
		cmocka_unit_test(so_much_is_heard),
		cmocka_unit_test(worlds_are_asked),
	};

	return cmocka_run_group_tests(tests, open_loop, shut_loop);
}
