/* SPDX-License-Identifier: Apache-2.0 */
/* Both ends of a channel in one process, and a loop that runs until something
 * has come true. */
#ifndef DT_TESTS_CHANNEL_H
#define DT_TESTS_CHANNEL_H

#include "core/facts/handover.h"
#include "helpers/channel/seal.h"
#include "helpers/channel/secure_conn.h"
#include "sys/loop.h"
#include "sys/net.h"

#include "tests/unit/unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#define PATIENCE_MS 20000

static struct loop loop;
static const unsigned char secret[SECRET_SIZE] =
	"a secret of thirty-two bytes...";
static const struct link_step step = {
	.loop = &loop,
	.secret = secret,
	.id = "4711.3.0",
	.lease_s = 15,
};

static inline int open_loop(void **state)
{
	struct err err;

	(void)state;
	return loop_open(&loop, &err);
}

static inline int shut_loop(void **state)
{
	(void)state;
	assert_null(loop.timers);
	loop_close(&loop);
	return 0;
}

static bool hopeless;

static inline void give_up(void *arg)
{
	(void)arg;
	hopeless = true;
	loop_stop(&loop);
}

static inline void stop_soon(void *arg)
{
	(void)arg;
	loop_stop(&loop);
}

/* Whatever came may have made `*what` true: look every few milliseconds. */
static inline void run_until(const bool *what)
{
	struct loop_timer patience = {.expired = give_up};
	struct loop_timer look = {.expired = stop_soon};
	struct err err;

	hopeless = false;
	loop_arm(&loop, &patience, PATIENCE_MS);
	while (!*what && !hopeless) {
		loop_arm(&loop, &look, 2);
		assert_int_equal(loop_run(&loop, &err), 0);
	}
	loop_disarm(&loop, &patience);
	loop_disarm(&loop, &look);
	if (!*what)
		fail_msg("nothing came of it");
}

static inline void run_for(uint64_t ms)
{
	struct loop_timer end = {.expired = stop_soon};
	struct err err;

	loop_arm(&loop, &end, ms);
	assert_int_equal(loop_run(&loop, &err), 0);
	loop_disarm(&loop, &end);
}

static inline void two_sockets(int fds[2])
{
	assert_int_equal(socketpair(AF_UNIX,
				    SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
				    0, fds),
			 0);
}

/* One end of a link, and what it was told. */
struct end {
	struct link *link;
	struct link_step step;
	bool opened, lost, got;
	int why;
	unsigned nmessages;
	char type;
	char *last; /* the last message */
	size_t nlast;
};

static inline void end_opened(void *arg)
{
	struct end *e = arg;

	e->opened = true;
}

static inline void end_message(void *arg, char type, const char *data, size_t n)
{
	struct end *e = arg;

	assert_int_equal(data[n], '\0');
	free(e->last);
	e->last = malloc(n + 1);
	assert_non_null(e->last);
	memcpy(e->last, data, n + 1);
	e->nlast = n;
	e->type = type;
	e->nmessages++;
	e->got = true;
}

static inline void end_lost(void *arg, int why)
{
	struct end *e = arg;

	e->lost = true;
	e->why = why;
}

static inline void end_open(struct end *e, int fd, bool connects,
			    const unsigned char *key, const char *id)
{
	struct link_events events = {
		.opened = end_opened,
		.message = end_message,
		.lost = end_lost,
		.arg = e,
	};
	struct err err;

	*e = (struct end){.step = step};
	e->step.secret = key;
	e->step.id = id;
	e->link = link_new(&e->step, fd, connects, &events, &err);
	assert_non_null(e->link);
}

static inline void end_wait(const struct end *e, unsigned nmessages)
{
	for (int i = 0; e->nmessages < nmessages && i < PATIENCE_MS; i++)
		run_for(1);
	assert_int_equal(e->nmessages, nmessages);
}

static inline void end_close(struct end *e)
{
	link_close(e->link);
	free(e->last);
	memset(e, 0, sizeof(*e));
}

static inline void end_send(struct end *e, char type, const void *data,
			    size_t n)
{
	struct parcel *p = parcel_new(type, data, n);

	assert_non_null(p);
	assert_int_equal(link_send(e->link, p), 0);
	parcel_drop(p);
}

#endif
