/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes of a job on a node share the port (SO_REUSEPORT): the kernel
 * may give a connection to one that is stopped and never answers. A new
 * connection may then come to another one.
 */
#include "helpers/recorders/recorders.h"

#include "core/base/text.h"
#include "sys/loop.h"
#include "sys/socket.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define HELLO_MS 1000 /* for the first line */
#define AGAIN_MS 50   /* to the next question, where it didn't wait so long */
#define SERVER	 "SERVER PROTOCOL "
/* The time that NCCL waits for its other processes is its own: 5 s. */
#define QUESTION "CLIENT PROTOCOL 2\nVERBOSE STATUS\n"

struct answer {
	char *text;
	size_t n;
	bool ended;
};

static long left_ms(uint64_t until)
{
	uint64_t now = loop_now_ms();

	return until > now ? (long)(until - now) : 0;
}

static bool is_ready(int fd, short events, uint64_t until)
{
	return socket_wait(fd, events, (int)left_ms(until));
}

static bool greet(int fd, uint64_t until, struct err *err)
{
	int rc = is_ready(fd, POLLOUT, until) ? socket_error(fd) : ETIMEDOUT;

	if (rc == 0 && send(fd, QUESTION, strlen(QUESTION), MSG_NOSIGNAL) < 0)
		rc = errno;
	if (rc)
		err_printf(err, "NCCL RAS can't be reached: %s", strerror(rc));
	return rc == 0;
}

/* false: nothing more comes, or it isn't in time. */
static bool read_more(int fd, struct answer *a, uint64_t until)
{
	ssize_t n;

	if (!is_ready(fd, POLLIN, until))
		return false;
	n = read(fd, a->text + a->n, RAS_TEXT_MAX - a->n);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	a->ended = n == 0;
	if (n <= 0)
		return false;
	a->n += (size_t)n;
	a->text[a->n] = '\0';
	return a->n < RAS_TEXT_MAX;
}

static int check(const struct answer *a, bool greeted, struct err *err)
{
	const char *body;

	if (!greeted)
		return err_printf(err, "NCCL RAS doesn't answer: the process "
				       "that has the port may be stopped");
	if (strncmp(a->text, SERVER, strlen(SERVER)) != 0)
		return err_printf(err, "another program has the port of NCCL "
				       "RAS");
	body = strchr(a->text, '\n');
	if (!a->ended && a->n < RAS_TEXT_MAX)
		return err_printf(err, "the report of NCCL RAS didn't end in "
				       "time");
	if (!body || !body[1])
		return err_printf(err, "NCCL RAS has no report");
	if (!strncmp(body + 1, "ERROR", 5))
		return err_printf(err, "NCCL RAS: %.100s", body + 1);
	return 0;
}

/* *ret_again: nothing has come; somebody else may answer. One that is dying
 * ends the connection at once, and so may a stranger, for ever. */
static int talk(int fd, struct answer *a, uint64_t until, bool *ret_again,
		struct err *err)
{
	uint64_t hello = loop_now_ms() + HELLO_MS;
	bool greeted;

	a->n = 0;
	a->ended = false;
	*a->text = '\0';
	*ret_again = false;
	if (hello > until)
		hello = until;
	if (!greet(fd, hello, err))
		return -1;
	greeted = read_more(fd, a, hello);
	*ret_again = !greeted && !a->ended;
	if (*ret_again && left_ms(hello))
		poll(NULL, 0, AGAIN_MS);
	while (greeted && read_more(fd, a, until))
		;
	/* Whoever is at that port of the node has said it */
	plain_text(a->text, "\t\n");
	return check(a, greeted, err);
}

int ras_ask(unsigned port, long ms, char **ret, struct err *err)
{
	uint64_t until = loop_now_ms() + (uint64_t)ms;
	cleanup_free char *text = malloc(RAS_TEXT_MAX + 1);
	struct answer a = {.text = text};
	bool again = false;
	int rc = -1;

	if (!text)
		return err_memory(err);
	do {
		cleanup_close int fd = socket_connect("127.0.0.1", port);

		if (fd < 0)
			return err_printf(err, "NCCL RAS can't be reached: %s",
					  strerror(errno));
		rc = talk(fd, &a, until, &again, err);
	} while (rc < 0 && again && left_ms(until) > 0);
	if (rc < 0)
		return -1;
	*ret = strdup(strchr(text, '\n') + 1);
	return *ret ? 0 : err_memory(err);
}
