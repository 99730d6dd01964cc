/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/channel/session_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

/* Who needs no port for others doesn't speak of one that is in use. */
static void on_say(void *arg, const char *line)
{
	const struct session *t = arg;

	if (t->job->ntasks > 1)
		t->o.say(t->o.arg, line);
}

/* But those of the controller beside srun, if that is on this node, too. */
static unsigned port_here(const void *arg, unsigned try)
{
	const struct session *t = arg;
	unsigned port;

	for (unsigned i = 0; (port = session_port(t, i)) != 0; i++)
		if (port != t->beside.port && port != t->beside.facts_port &&
		    try-- == 0)
			break;
	return port;
}

/* Where visitors come, too. */
static int bind_port(struct session *t, struct err *err)
{
	struct connections all = {
		.step = t->step,
		.ip = t->job->nnodes == 1 ? NULL : t->server_ip,
		.node = t->job->node_name,
		.nmembers = t->job->ntasks,
		.say = on_say,
		.say_arg = t,
	};

	connections_init(&all);
	if (connections_bind(&all, port_here, t, err) < 0)
		return -1;
	t->listen_fd = connections_give(&all);
	return 0;
}

/* All at once: it fits into any pipe, so that this doesn't block. */
static int hand_on(struct session *t, int pipe)
{
	const struct iovec parts[] = {
		{&t->secret.secret, sizeof(t->secret.secret)},
		{t->secret.credential, strlen(t->secret.credential)},
	};
	size_t n = parts[0].iov_len + parts[1].iov_len;

	return writev(pipe, parts, 2) == (ssize_t)n ? 0 : -1;
}

/* --- where there is none --- */

static void take_back(void *arg, char type, const char *data, size_t n)
{
	session_alone_send(arg, type, data, n);
}

/* With what this launcher has said meanwhile. */
static int be_alone(struct session *t, const struct err *why, struct err *err)
{
	struct client *client = t->client;

	if (session_alone_open(t, why->text, err) < 0)
		return -1;
	t->client = NULL;
	if (client)
		client_take_back(client, take_back, t);
	client_close(client);
	return 0;
}

static int do_without(struct session *t, const struct err *why, struct err *err)
{
	session_let_go_of_port(t);
	if (t->job->ntasks == 1 && !t->o.recovery)
		return be_alone(t, why, err);
	return err_printf(err,
			  "the step's controller can't be started on %.64s: "
			  "%.512s",
			  t->job->node_name, why->text);
}

void session_step_fail(struct session *t, const struct err *err)
{
	char line[sizeof(err->text) + 32];

	snprintf(line, sizeof(line), "dist-train: %s\n", err->text);
	if (t->o.recovery) { /* nothing runs yet */
		t->o.say(t->o.arg, line);
		exit(EXIT_FAILURE);
	}
	session_client_drop(t);
	session_alone_stop(t, line, EXIT_FAILURE, 0);
}

/* It says nothing: that was its end. */
static void on_end(void *arg, const char *data, size_t n)
{
	static const struct err ended = {"it has ended at once"};
	struct session *t = arg;
	struct err err;

	(void)data;
	if (n)
		return;
	subprocess_close(&t->program);
	if (t->client && !client_is_there(t->client) &&
	    do_without(t, &ended, &err) < 0)
		session_step_fail(t, &err);
}

/* --- the start --- */

static int start(struct session *t, struct err *err)
{
	if (t->o.start(t->o.arg, t->listen_fd, &t->program, err) < 0)
		return -1;
	if (hand_on(t, t->program.in) == 0 &&
	    subprocess_watch(&t->program, t->o.loop, on_end, t, err) == 0)
		return 0;
	subprocess_close(&t->program);
	return err_printf(err, "it can't be told the secret");
}

int session_begin_step(struct session *t, struct err *err)
{
	struct err why;

	session_have_own_secret(t);
	if (bind_port(t, &why) < 0 || start(t, &why) < 0)
		return do_without(t, &why, err);
	return t->client ? 0 : session_be_client(t, err);
}

void session_step_close(struct session *t)
{
	subprocess_close(&t->program);
	session_let_go_of_port(t);
}
