/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a server may be told. The first byte says by whom: a stranger, with
 * bytes for the socket; one who has begun well and goes on in clear; one who
 * has the secret, with messages for the arbiter, one on each line, the first
 * byte of which is the member, the second the type; "?": who isn't here isn't
 * waited for.
 */
#include "helpers/arbiter/arbiter.h"
#include "helpers/conn/seal.h"
#include "helpers/conn/secure_conn.h"

#include "tests/fuzz/arbiter_calls.h"

#include <sys/socket.h>
#include <unistd.h>

#define MEMBERS 4
#define PORT	24500

static const unsigned char secret[SECRET_SIZE] = "fuzz";
static struct loop loop = {.epoll_fd = -1};
static unsigned nmessages, nleaves;
static bool lost, has_secret;

static void opened(void *arg)
{
	(void)arg;
	RULE(has_secret);
}

static void message(void *arg, char type, const char *data, size_t n)
{
	(void)arg;
	(void)type;
	RULE(has_secret);
	RULE(data[n] == '\0');
	nmessages++;
}

static void gone(void *arg, int why)
{
	(void)arg;
	(void)why;
	lost = true;
	loop_stop(&loop);
}

/* --- bytes for the socket --- */

static void stop(void *arg)
{
	(void)arg;
	loop_stop(&loop);
}

static void let_run(void)
{
	struct loop_timer now = {.expired = stop};
	struct err err;

	loop_arm(&loop, &now, 0);
	RULE(loop_run(&loop, &err) == 0);
	loop_disarm(&loop, &now);
}

/* The first words of one who has the secret; returns how long they are. */
static size_t begin(int fd, struct seal *s, unsigned char *out)
{
	unsigned char salt[SEAL_SALT];

	RULE(seal_begin(s) == 0);
	RULE(write(fd, s->salt, SEAL_SALT) == SEAL_SALT);
	let_run();
	RULE(read(fd, salt, sizeof(salt)) == sizeof(salt));
	seal_agree(s, secret, "1.2.3", PORT, true, salt, out);
	return SEAL_HEADER;
}

static size_t add_record(struct seal *s, const uint8_t *data, size_t n,
			 unsigned char *out)
{
	size_t sealed = n + SEAL_GROWTH;

	out[0] = out[1] = 0;
	out[2] = (unsigned char)(sealed >> 8);
	out[3] = (unsigned char)sealed;
	seal_wrap(s, data, n, true, out + 4);
	return 4 + sealed;
}

/* 0: a stranger; 1: good until its header; 2: good throughout. */
static void speak(int fd, unsigned how, const uint8_t *data, size_t size)
{
	unsigned char out[8192];
	struct seal s;
	size_t n = 0;

	has_secret = how == 2;
	if (how)
		n = begin(fd, &s, out);
	if (how == 2) {
		n += add_record(&s, (const uint8_t *)"P", 1, out + n);
		n += add_record(&s, data, size, out + n);
	} else {
		memcpy(out + n, data, size);
		n += size;
	}
	RULE(write(fd, out, n) == (ssize_t)n);
	shutdown(fd, SHUT_WR);
}

static void to_link(unsigned how, const uint8_t *data, size_t size)
{
	struct secure_conn_step step = {
		.loop = &loop,
		.secret = secret,
		.id = "1.2.3",
		.port = PORT,
		.lease_s = 9,
	};
	struct secure_conn_events events = {
		.opened = opened, .message = message, .lost = gone};
	struct secure_conn *conn;
	struct err err;
	int fds[2];

	RULE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds) == 0);
	conn = secure_conn_new(&step, fds[0], false, &events, &err);
	RULE(conn);
	nmessages = 0;
	lost = false;
	speak(fds[1], how, data, size);
	while (!lost)
		let_run();
	if (how == 2 && size && *data == MSGBUF_PACKED)
		RULE(nmessages <= 1);
	else
		RULE(nmessages == (how == 2 && size));
	secure_conn_close(conn);
	close(fds[1]);
}

/* --- messages --- */

static void sends(void *arg, unsigned member, char type, const char *data,
		  size_t n)
{
	(void)arg;
	RULE(member < MEMBERS || member == ARBITER_ALL);
	RULE(type != MSG_LEAVE || (strtol(data, NULL, 10) >= 0 &&
				   strtol(data, NULL, 10) < 256 && n));
	nleaves += type == MSG_LEAVE;
}

/* The last member comes late. */
static bool here(const void *arg, unsigned member)
{
	(void)arg;
	return member < MEMBERS - 1;
}

static void hear(struct arbiter *r, const char *line)
{
	unsigned member = (unsigned char)line[0] % MEMBERS;

	if (!line[0])
		return;
	if (line[0] == '!')
		arbiter_lost(r, (unsigned char)line[1] % MEMBERS, "node", 0, 9);
	else if (line[0] == '?')
		arbiter_wait_no_more(r);
	else if (line[1])
		arbiter_handle(r, member, line[1], line + 2, strlen(line + 2));
}

static void to_referee(const uint8_t *data, size_t size)
{
	struct arbiter_options o = {
		.loop = &loop,
		.n = MEMBERS,
		.rounds = 3,
		.restarts_on = restarts,
		.send = sends,
		.here = here,
		.say = says,
	};
	char *text = fuzz_text(data, size), *rest = text;
	struct err err;
	struct arbiter *r = arbiter_new(&o, &err);

	RULE(r);
	nleaves = 0;
	while (rest)
		hear(r, strsep(&rest, "\n"));
	for (char end[] = "0e0 0"; end[0] < '0' + MEMBERS; end[0]++)
		hear(r, end);
	RULE(nleaves <= 1);
	arbiter_free(r);
	RULE(!loop.timers.first);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err;

	if (!size)
		return 0;
	if (loop.epoll_fd < 0)
		RULE(loop_open(&loop, &err) == 0);
	if (data[0] % 4 == 3)
		to_referee(data + 1, size - 1);
	else
		to_link(data[0] % 4, data + 1, size - 1);
	return 0;
}
