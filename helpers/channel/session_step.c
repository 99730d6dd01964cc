/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/channel/session_step.h"

#include "helpers/channel/session_client.h"
#include "helpers/channel/session_server.h"
#include "helpers/channel/session_state.h"
#include "helpers/conn/connections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static int bind_port(struct session *t, struct err *err)
{
	struct connections all = {
		.step = t->step,
		.ip = session_server_ip(t),
		.node = t->job->node_name,
		.nmembers = t->job->ntasks,
		.say = t->o.say,
		.say_arg = t->o.arg,
	};

	connections_init(&all);
	if (connections_bind(&all, session_port, t, err) < 0)
		return -1;
	t->listen_fd = connections_give(&all);
	return 0;
}

/* All at once: it fits into any pipe, so that this doesn't block. */
static int hand_on(struct session *t, int pipe)
{
	const struct iovec parts[] = {
		{&t->secret, sizeof(t->secret)},
		{t->credential, strlen(t->credential)},
	};
	size_t n = parts[0].iov_len + parts[1].iov_len;

	return writev(pipe, parts, 2) == (ssize_t)n ? 0 : -1;
}

static void take_back(void *arg, char type, const char *data, size_t n)
{
	struct session *t = arg;

	server_handle(t->server, 0, type, data, n);
}

/* With what this launcher has said meanwhile. With recovery it isn't tried: it
 * would be the one launcher that can't be lost. */
static int be_server(struct session *t, struct err *err)
{
	struct client *client = t->client;
	int rc;

	if (t->o.recovery)
		return err_printf(err, "spares and on-node-loss need the "
				       "step's controller (dist-train-step), "
				       "which can't be started");
	t->client = NULL;
	rc = session_be_server(t, t->job->ntasks, err);
	if (client && rc == 0)
		client_take_back(client, take_back, t);
	client_close(client);
	return rc;
}

void session_step_fail(struct session *t, const struct err *err)
{
	char line[sizeof(err->text) + 32];

	snprintf(line, sizeof(line), "dist-train: %s\n", err->text);
	t->o.say(t->o.arg, line);
	exit(EXIT_FAILURE);
}

/* It says nothing: that was its end. */
static void on_end(void *arg, const char *data, size_t n)
{
	struct session *t = arg;
	struct err err;

	(void)data;
	if (n)
		return;
	subprocess_close(&t->program);
	if (t->client && !client_is_there(t->client) && be_server(t, &err) < 0)
		session_step_fail(t, &err);
}

static int start(struct session *t, struct err *err)
{
	if (t->o.start(t->o.arg, t->listen_fd, &t->program, err) < 0)
		return -1;
	if (hand_on(t, t->program.in) == 0 &&
	    subprocess_watch(&t->program, t->o.loop, on_end, t, err) == 0)
		return 0;
	subprocess_close(&t->program);
	return -1;
}

int session_begin_step(struct session *t, struct err *err)
{
	struct err why;

	if (bind_port(t, err) < 0)
		return -1;
	if (start(t, &why) < 0)
		return be_server(t, err);
	return t->client ? 0 : session_be_client(t, err);
}

void session_step_close(struct session *t)
{
	subprocess_close(&t->program);
	if (t->listen_fd > 0 && !t->server)
		close(t->listen_fd);
}
