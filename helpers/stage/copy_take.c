/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/stage/copy_take.h"

#include "core/facts/job.h"
#include "helpers/conn/client.h"
#include "helpers/conn/message.h"
#include "helpers/stage/copy_give.h"
#include "sys/subprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#define CONNECT_S 10
#define END_MS	  1000 /* for a process whose output has ended */

struct copy_take {
	struct copy_take_options o;
	struct secure_conn_step step;
	char id[JOB_STEP_SIZE + 16], hello[24], ip[IP_TEXT_SIZE];
	struct client *client;
	bool all_has_come;
	struct subprocess unpack;
	struct loop_watch in;
	/* What has come and isn't with that process yet: never more than what
	 * was asked for */
	char *waits;
	size_t n, gone, size;
	unsigned npieces; /* in it */
	char said[512];	  /* by that process */
	size_t come;	  /* when it was last looked at */
	struct loop_timer patience;
};

static void end(struct copy_take *t, const char *why)
{
	loop_disarm(t->step.loop, &t->patience);
	t->o.done(t->o.arg, why, t->said);
}

/* --- the process that unpacks --- */

static int unpack(const int fd[2], const void *arg)
{
	const struct copy_take_options *o = arg;
	struct err err;

	close_others((int[]){fd[0], fd[1], o->folder, o->growing->list}, 4);
	if (growing_unpack(o->growing, o->folder, fd[0], &err) < 0 && *err.text)
		dprintf(fd[1], "%s\n", err.text);
	return 0;
}

static void close_input(struct copy_take *t)
{
	loop_remove(t->step.loop, &t->in);
	if (t->unpack.in >= 0)
		close(t->unpack.in);
	t->unpack.in = -1;
}

static void on_room(void *arg, uint32_t events)
{
	struct copy_take *t = arg;
	ssize_t n = write(t->unpack.in, t->waits + t->gone, t->n - t->gone);

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0) { /* it has ended, and says why */
		close_input(t);
		return;
	}
	t->gone += (size_t)n;
	if (t->gone < t->n)
		return;
	t->n = t->gone = 0;
	loop_remove(t->step.loop, &t->in);
	for (; t->npieces; t->npieces--)
		client_send(t->client, MSG_ASK, "", 0);
	if (t->all_has_come)
		close_input(t);
}

static void end_unpack(struct copy_take *t)
{
	if (!t->unpack.pid)
		return;
	close_input(t);
	subprocess_kill(&t->unpack, SIGKILL);
	subprocess_wait(&t->unpack, END_MS, NULL);
	subprocess_close(&t->unpack);
	t->unpack.pid = 0;
}

/* It has ended when it says no more. How it has ended somebody else may have
 * been told. */
static void on_said(void *arg, const char *data, size_t n)
{
	struct copy_take *t = arg;
	size_t used = strlen(t->said);

	if (n) {
		snprintf(t->said + used, sizeof(t->said) - used, "%.*s", (int)n,
			 data);
		return;
	}
	end_unpack(t);
	t->said[strcspn(t->said, "\n")] = '\0';
	end(t, NULL);
}

static int start_unpack(struct copy_take *t, struct err *err)
{
	const struct subprocess_spec spec = {
		.run = unpack,
		.arg = &t->o,
		.flags = SUBPROCESS_IN | SUBPROCESS_OUT,
	};

	if (subprocess_start(&spec, &t->unpack, err) < 0)
		return -1;
	fcntl(t->unpack.in, F_SETFL, O_NONBLOCK);
	t->in = (struct loop_watch){
		.fd = t->unpack.in,
		.ready = on_room,
		.arg = t,
	};
	return subprocess_watch(&t->unpack, t->step.loop, on_said, t, err);
}

/* --- the other launcher --- */

static int keep(struct copy_take *t, const char *data, size_t n)
{
	size_t size = t->n + n;
	char *waits;

	if (size > t->size) {
		waits = realloc(t->waits, size);
		if (!waits)
			return -1;
		t->waits = waits;
		t->size = size;
	}
	memcpy(t->waits + t->n, data, n);
	t->n = size;
	return 0;
}

static void on_piece(struct copy_take *t, const char *data, size_t n)
{
	struct err err;

	if (t->unpack.in < 0)
		return; /* that process has ended */
	if (n > COPY_PIECE || ++t->npieces > COPY_WINDOW)
		end(t, "it sends more than was asked for");
	else if (keep(t, data, n) < 0 ||
		 loop_watch(t->step.loop, &t->in, EPOLLOUT, &err) < 0)
		end(t, "out of memory");
}

static void on_message(void *arg, char type, const char *data, size_t n)
{
	struct copy_take *t = arg;

	if (type == MSG_SPREAD)
		on_piece(t, data, n);
	if (type != MSG_DONE || t->all_has_come)
		return;
	t->all_has_come = true;
	if (t->n == t->gone)
		close_input(t);
}

static void on_lost(void *arg, int why)
{
	struct copy_take *t = arg;

	if (!t->all_has_come)
		end(t, why ? strerror(why) : "the connection was closed");
}

static void on_late(void *arg, int why)
{
	end(arg, strerror(why ? why : ETIMEDOUT));
}

static unsigned only_port(const void *arg, unsigned try)
{
	const struct copy_take *t = arg;

	return try ? 0 : t->o.port;
}

/* While that process works nothing need come. */
static void on_patience(void *arg)
{
	struct copy_take *t = arg;
	bool more;
	size_t come = client_has_come(t->client, &more);

	if (come == t->come && !more && !t->all_has_come && t->n == t->gone) {
		end(t, "nothing comes any more");
		return;
	}
	t->come = come;
	loop_arm(t->step.loop, &t->patience, COPY_PATIENCE_MS);
}

static int connect_to(struct copy_take *t, struct err *err)
{
	const struct client_options options = {
		.step = &t->step,
		.ip = t->ip,
		.hello = t->hello,
		.timeout_s = CONNECT_S,
		.port = only_port,
		.port_arg = t,
		.message = on_message,
		.late = on_late,
		.lost = on_lost,
		.arg = t,
	};

	t->client = client_open(&options, err);
	if (!t->client)
		return -1;
	for (unsigned i = 0; i < COPY_WINDOW; i++)
		client_send(t->client, MSG_ASK, "", 0);
	t->patience = (struct loop_timer){.expired = on_patience, .arg = t};
	loop_arm(t->step.loop, &t->patience, COPY_PATIENCE_MS);
	return 0;
}

struct copy_take *copy_take_open(const struct copy_take_options *options,
				 struct err *err)
{
	struct copy_take *t = calloc(1, sizeof(*t));

	if (!t) {
		err_memory(err);
		return NULL;
	}
	t->o = *options;
	t->step = *options->step;
	t->unpack = (struct subprocess){.in = -1, .out = -1};
	snprintf(t->id, sizeof(t->id), "%s stage", options->step->id);
	snprintf(t->hello, sizeof(t->hello), "%ld", options->number);
	snprintf(t->ip, sizeof(t->ip), "%s", options->ip);
	t->step.id = t->id;
	if (start_unpack(t, err) == 0 && connect_to(t, err) == 0)
		return t;
	copy_take_close(t);
	return NULL;
}

void copy_take_close(struct copy_take *t)
{
	if (!t)
		return;
	loop_disarm(t->step.loop, &t->patience);
	client_close(t->client);
	end_unpack(t);
	free(t->waits);
	free(t);
}
