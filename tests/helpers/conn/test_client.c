/* SPDX-License-Identifier: Apache-2.0 */
/* Which ports a client tries while its step's server isn't up yet. */
#include "helpers/conn/client.h"

#include "core/facts/port.h"
#include "tests/fixtures/channel_fixture.h"

#define REFUSING 1 /* and the next ones: nobody listens there */
#define LOOK_MS	 600

#define WAYS (LAUNCHERS_TRIES + 2) /* with two to srun's host */

static unsigned tried[WAYS];

static unsigned port_of(const void *arg, unsigned try)
{
	(void)arg;
	tried[try]++;
	return REFUSING + try;
}

static void on_message(void *arg, char type, const char *data, size_t n)
{
	(void)arg;
	(void)type;
	(void)data;
	(void)n;
}

static void on_end(void *arg, int why)
{
	(void)arg;
	(void)why;
	fail();
}

static void on_look(void *arg)
{
	loop_stop(arg);
}

/* A member of so many, for LOOK_MS. */
static void try_ports(unsigned ncrowd)
{
	struct client_options o = {
		.step = &step,
		.ip = "127.0.0.1",
		.hello = "",
		.timeout_s = 60,
		.ncrowd = ncrowd,
		.port = port_of,
		.message = on_message,
		.late = on_end,
		.lost = on_end,
	};
	struct loop_timer look = {.expired = on_look, .arg = step.loop};
	struct client *client;
	struct err err;

	memset(tried, 0, sizeof(tried));
	client = client_open(&o, &err);
	assert_non_null(client);
	loop_arm(step.loop, &look, LOOK_MS);
	assert_int_equal(loop_run(step.loop, &err), 0);
	client_close(client);
}

/* Most rounds are over the first port alone, and no pause is long. */
static void first_port_mostly(void **state)
{
	(void)state;
	try_ports(2);
	assert_true(tried[0] >= 2 * ALL_PORTS_IN);
	assert_true(tried[1] >= 1 && tried[WAYS - 1] >= 1);
	assert_true(tried[1] <= tried[0] / ALL_PORTS_IN + 1);
}

/* One of a crowd has no more rounds than pauses that double allow. */
static void crowds_wait(void **state)
{
	(void)state;
	try_ports(CROWD);
	assert_true(tried[0] >= 1 && tried[0] <= 7);
	assert_true(tried[1] + 1 >= tried[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(first_port_mostly, open_loop,
						shut_loop),
		cmocka_unit_test_setup_teardown(crowds_wait, open_loop,
						shut_loop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
