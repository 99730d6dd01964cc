/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/stage/copy_give.h"

#include "core/facts/job.h"
#include "helpers/conn/message.h"
#include "helpers/copies/tree.h"
#include "sys/subprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>

#define END_MS	1000 /* for a process whose output has ended */
#define SIGN_MS 5000 /* that nothing comes, but will */

struct guest {
	struct guest *next;
	struct copy_give *give;
	struct connection *connection;
	struct subprocess pack;
	struct loop_watch out;
	long number;
	unsigned asked; /* pieces that he waits for */
};

struct copy_give {
	struct copy_give_options o;
	struct connections all;
	char id[JOB_STEP_SIZE + 16];
	struct guest *first;
	struct loop_timer sign;
};

/* --- the process that packs --- */

static int list_all(struct copy_source *s)
{
	struct tree_sum ignored;
	struct err err;

	if (growing_open(&s->growing) < 0 ||
	    tree_walk(s->folder, s->name, -1, &s->growing, &ignored, &err) < 0)
		return -1;
	growing_end(&s->growing);
	return 0;
}

/* What else is open here, locks and connections, doesn't end with a fork. */
static int pack(const int fd[2], const void *arg)
{
	struct copy_source s = *(const struct copy_source *)arg;

	close_others((int[]){fd[1], s.folder, s.growing.list}, 3);
	if (!s.growing.grown && list_all(&s) < 0)
		return 1;
	return growing_pack(&s.growing, s.folder, fd[1]) < 0;
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

static void end_pack(struct guest *g)
{
	if (!g->pack.pid)
		return;
	loop_remove(g->give->all.step.loop, &g->out);
	subprocess_kill(&g->pack, SIGKILL);
	subprocess_wait(&g->pack, END_MS, NULL);
	subprocess_close(&g->pack);
	g->pack.pid = 0;
}

static void forget(struct guest *g)
{
	struct guest **at = &g->give->first;

	while (*at != g)
		at = &(*at)->next;
	*at = g->next;
	end_pack(g);
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

/* There is no more. Whether that was all the guest sees by what he has: the
 * exit status may have been taken by who waits for all of the launcher's
 * children.
 */
static void finish(struct guest *g)
{
	end_pack(g);
	if (send_piece(g, MSG_DONE, "", 0) < 0)
		drop(g->connection);
}

static void on_packed(void *arg, uint32_t events)
{
	struct guest *g = arg;
	char piece[COPY_PIECE];
	ssize_t n = read(g->pack.out, piece, sizeof(piece));

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
	struct copy_source source = g->give->o.copy(g->give->o.arg, number);
	const struct subprocess_spec spec = {
		.run = pack,
		.arg = &source,
		.flags = SUBPROCESS_OUT,
	};
	struct err err;

	g->number = number;
	if (source.folder < 0 || subprocess_start(&spec, &g->pack, &err) < 0)
		return -1;
	fcntl(g->pack.out, F_SETFL, O_NONBLOCK);
	g->out = (struct loop_watch){
		.fd = g->pack.out,
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
	loop_arm(give->all.step.loop, &give->sign, SIGN_MS);
	if (begin(g, number) < 0)
		drop(c);
}

static void on_ask(struct connection *c)
{
	struct guest *g = guest_of(c);
	struct err err;

	if (!g || !g->pack.pid)
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

/* Who gets nothing for long takes his host for lost. */
static void on_sign(void *arg)
{
	struct copy_give *give = arg;

	for (struct guest *g = give->first, *next; g; g = next) {
		next = g->next;
		if (g->pack.pid && send_piece(g, MSG_WELCOME, "", 0) < 0)
			drop(g->connection);
	}
	if (give->first)
		loop_arm(give->all.step.loop, &give->sign, SIGN_MS);
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
			       err) < 0) {
		free(give);
		return NULL;
	}
	give->sign = (struct loop_timer){.expired = on_sign, .arg = give};
	return give;
}

unsigned copy_give_port(const struct copy_give *give)
{
	return give->all.step.port;
}

void copy_give_drop(struct copy_give *give, long number)
{
	for (struct guest *g = give ? give->first : NULL, *next; g; g = next) {
		next = g->next;
		if (g->number == number)
			drop(g->connection);
	}
}

void copy_give_close(struct copy_give *give)
{
	if (!give)
		return;
	loop_disarm(give->all.step.loop, &give->sign);
	while (give->first)
		drop(give->first->connection);
	connections_close(&give->all);
	free(give);
}
