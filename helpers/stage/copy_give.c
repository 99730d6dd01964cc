/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/stage/copy_give.h"

#include "core/facts/job.h"
#include "helpers/conn/message.h"
#include "sys/subprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#define END_MS 1000 /* for a tar whose output has ended */

struct guest {
	struct guest *next;
	struct copy_give *give;
	struct connection *connection;
	struct subprocess tar;
	struct loop_watch out;
	unsigned asked; /* pieces that he waits for */
};

struct copy_give {
	struct copy_give_options o;
	struct connections all;
	char id[JOB_STEP_SIZE + 16];
	struct guest *first;
};

/* --- tar --- */

void copy_tar(const char *how, int folder, int in, int out, int err)
{
	/* The system's own before what a user's environment has */
	static const char *const file[] = {"/usr/bin/tar", "/bin/tar", NULL};
	const char *const argv[] = {"tar", how, "-", ".", NULL};

	if (fchdir(folder) < 0 || (in >= 0 && dup2(in, STDIN_FILENO) < 0) ||
	    (out >= 0 && dup2(out, STDOUT_FILENO) < 0) ||
	    (err >= 0 && dup2(err, STDERR_FILENO) < 0))
		_exit(126);
	unsetenv("TAR_OPTIONS");
	for (int i = 0; file[i]; i++)
		execv(file[i], (char *const *)argv);
	execvp("tar", (char *const *)argv);
	dprintf(STDERR_FILENO, "tar: %s\n", strerror(errno));
	_exit(127);
}

static int pack(const int fd[2], const void *arg)
{
	copy_tar("-cf", *(const int *)arg, -1, fd[1], -1);
	return 127;
}

/* --- a guest --- */

static struct guest *guest_of(const struct connection *c)
{
	const struct copy_give *give = c->all->owner;
	struct guest *g = give->first;

	while (g && g->connection != c)
		g = g->next;
	return g;
}

static void end_tar(struct guest *g)
{
	if (!g->tar.pid)
		return;
	loop_remove(g->give->all.step.loop, &g->out);
	subprocess_kill(&g->tar, SIGKILL);
	subprocess_wait(&g->tar, END_MS, NULL);
	subprocess_close(&g->tar);
	g->tar.pid = 0;
}

static void forget(struct guest *g)
{
	struct guest **at = &g->give->first;

	while (*at != g)
		at = &(*at)->next;
	*at = g->next;
	end_tar(g);
	free(g);
}

static void drop(struct connection *c)
{
	struct guest *g = guest_of(c);

	if (g)
		forget(g);
	connection_drop(c);
}

static int send_piece(const struct guest *g, char type, const char *data,
		      size_t n)
{
	struct msgbuf *m = msgbuf_as_is(type, data, n);
	int rc = m ? secure_conn_send(g->connection->conn, m) : -1;

	msgbuf_drop(m);
	return rc;
}

/* tar has no more. Whether that was all the guest sees by what he has: its exit
 * status may have been taken by who waits for all of the launcher's children.
 */
static void finish(struct guest *g)
{
	end_tar(g);
	if (send_piece(g, MSG_DONE, "", 0) < 0)
		drop(g->connection);
}

static void on_packed(void *arg, uint32_t events)
{
	struct guest *g = arg;
	char piece[COPY_PIECE];
	ssize_t n = read(g->tar.out, piece, sizeof(piece));

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		finish(g);
		return;
	}
	if (--g->asked == 0)
		loop_remove(g->give->all.step.loop, &g->out);
	if (send_piece(g, MSG_SPREAD, piece, (size_t)n) < 0)
		drop(g->connection);
}

static int begin(struct guest *g, long number)
{
	int folder = g->give->o.copy(g->give->o.arg, number);
	const struct subprocess_spec spec = {
		.run = pack,
		.arg = &folder,
		.flags = SUBPROCESS_OUT,
	};
	struct err err;

	if (folder < 0 || subprocess_start(&spec, &g->tar, &err) < 0)
		return -1;
	fcntl(g->tar.out, F_SETFL, O_NONBLOCK);
	g->out = (struct loop_watch){
		.fd = g->tar.out,
		.ready = on_packed,
		.arg = g,
	};
	return send_piece(g, MSG_WELCOME, "", 0);
}

static void on_hello(struct connection *c, const char *data)
{
	struct copy_give *give = c->all->owner;
	struct guest *g;
	long number;

	if (c->visits || message_number(&data, 0, INT_MAX, &number) < 0 ||
	    !(g = calloc(1, sizeof(*g)))) {
		drop(c);
		return;
	}
	c->visits = true;
	connection_is_known(c);
	*g = (struct guest){.next = give->first, .give = give, .connection = c};
	give->first = g;
	if (begin(g, number) < 0)
		drop(c);
}

static void on_ask(struct connection *c)
{
	struct guest *g = guest_of(c);
	struct err err;

	if (!g || !g->tar.pid)
		return; /* all has been sent */
	if (g->asked++ == 0 &&
	    loop_watch(g->give->all.step.loop, &g->out, EPOLLIN, &err) < 0)
		drop(c);
}

static void on_message(void *arg, char type, const char *data, size_t n)
{
	struct connection *c = arg;

	(void)n;
	if (type == MSG_HELLO)
		on_hello(c, data);
	else if (type == MSG_ASK)
		on_ask(c);
	else
		drop(c);
}

static void on_lost(void *arg, int why)
{
	(void)why;
	drop(arg);
}

static void say_nothing(void *arg, const char *line)
{
	(void)arg;
	(void)line; /* another port does as well */
}

struct copy_give *copy_give_open(const struct copy_give_options *options,
				 struct err *err)
{
	struct copy_give *give = calloc(1, sizeof(*give));

	if (!give) {
		err_memory(err);
		return NULL;
	}
	give->o = *options;
	snprintf(give->id, sizeof(give->id), "%s stage", options->step->id);
	give->all = (struct connections){
		.step = *options->step,
		.node = options->node,
		.nmembers = options->nmembers,
		.message = on_message,
		.lost = on_lost,
		.owner = give,
		.say = say_nothing,
	};
	give->all.step.id = give->id;
	connections_init(&give->all);
	if (connections_listen(&give->all, options->port, options->port_arg,
			       err) == 0)
		return give;
	free(give);
	return NULL;
}

unsigned copy_give_port(const struct copy_give *give)
{
	return give->all.step.port;
}

void copy_give_close(struct copy_give *give)
{
	if (!give)
		return;
	while (give->first)
		drop(give->first->connection);
	connections_close(&give->all);
	free(give);
}
