/* SPDX-License-Identifier: Apache-2.0 */
/* dist-train-step when the step is over, and somebody still looks into it. */
#include "helpers/bundle/mains.h"

#define main step_main
#include "helpers/step/dist-train-step.c"
#undef main

#include "helpers/conn/client.h"
#include "sys/socket.h"

#include "tests/fixtures/unit.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#define PATIENCE_MS 10000

static struct host host = {.loop.epoll_fd = -1, .timeline.fd = -1};
static unsigned at;
static bool shown, lost;

static void facts_of_one_task(void)
{
	static const char *const facts[][2] = {
		{"SLURM_JOB_ID", "7"},
		{"SLURM_STEP_ID", "0"},
		{"SLURM_STEP_NUM_TASKS", "1"},
		{"SLURM_STEP_NUM_NODES", "1"},
		{"SLURM_STEP_NODELIST", "node1"},
		{"SLURM_STEP_TASKS_PER_NODE", "1"},
		{"SLURM_NTASKS", "1"},
		{"SLURM_PROCID", "0"},
		{"SLURM_LOCALID", "0"},
		{"SLURM_NODEID", "0"},
		{"SLURM_GTIDS", "0"},
		{"SLURMD_NODENAME", "node1"},
		{HANDOVER_ID, "2:7.0"},
		{HANDOVER_REQUEST, "ddp,procs=2,nic=off,record=off"},
	};

	for (size_t i = 0; i < COUNT(facts); i++)
		setenv(facts[i][0], facts[i][1], 1);
}

static int listen_somewhere(void)
{
	struct sockaddr_in sa;
	socklen_t size = sizeof(sa);
	int fd = socket_listen("127.0.0.1", 0, 16);

	assert_int_equal(getsockname(fd, (struct sockaddr *)&sa, &size), 0);
	at = ntohs(sa.sin_port);
	return fd;
}

static unsigned port(const void *arg, unsigned try)
{
	(void)arg;
	return try ? 0 : at;
}

static void hears(void *arg, char type, const char *data, size_t n)
{
	(void)arg;
	(void)data;
	(void)n;
	shown |= type == MSG_SHOWN;
	if (shown)
		loop_stop(&host.loop);
}

static void is_lost(void *arg, int why)
{
	(void)arg;
	(void)why;
	lost = true;
	loop_stop(&host.loop);
}

static void too_late(void *arg)
{
	(void)arg;
	loop_stop(&host.loop);
}

static void run_loop(void)
{
	struct loop_timer patience = {.expired = too_late};
	struct err err;

	loop_arm(&host.loop, &patience, PATIENCE_MS);
	assert_int_equal(loop_run(&host.loop, &err), 0);
	loop_disarm(&host.loop, &patience);
}

static struct client *visit(void)
{
	static char hello[64];
	struct secure_conn_step as = {
		.loop = &host.loop,
		.secret = host.given.secret.secret,
		.id = "7.0.0",
		.lease_s = 15,
	};
	struct client_options o = {
		.step = &as,
		.ip = "127.0.0.1",
		.hello_type = MSG_VISIT,
		.hello = hello,
		.timeout_s = 60,
		.port = port,
		.message = hears,
		.late = is_lost,
		.lost = is_lost,
	};
	struct client *client;
	struct err err;

	snprintf(hello, sizeof(hello), "%d 100 status of", MESSAGE_VERSION);
	client = client_open(&o, &err);
	assert_non_null(client);
	run_loop();
	assert_true(shown);
	return client;
}

/* The parts are closed while the server tells the last launchers to leave: the
 * visitor, of whom they knew, is gone by then, and no new one is let in. */
static void visitor_at_the_end(void **state)
{
	char program[] = "true", *command[] = {program, NULL};
	struct client *client;
	struct err err;

	(void)state;
	assert_true(sodium_init() >= 0);
	facts_of_one_task();
	assert_int_equal(loop_open(&host.loop, &err), 0);
	if (begin(&host, command, listen_somewhere(), 0, &err) < 0)
		fail_msg("%s", err.text);
	client = visit();
	over(&host, "0");
	run_loop();
	assert_true(lost);
	client_close(client);
	clear(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(visitor_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
