/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a world counts as ready (the word ready=). Its first node's agent asks,
 * by helpers/procs/readiness.h as all do. A line is heard by a process of its
 * own, which stands between the launcher's standard output and ours, and may
 * block where we mayn't.
 */
#include "helpers/roles/agent.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct role_line *line_of(const struct here *h)
{
	const struct role_plan *p = &h->agent->roles;

	return &p->file->role[p->world[h->world].role];
}

void ready_end(struct here *h)
{
	readiness_end(&h->waiting);
}

static void on_ready(void *arg)
{
	struct here *h = arg;

	ready_end(h);
	agent_tell(h->agent, AGENT_READY " %u %u", h->world, h->round);
}

static void on_late(void *arg)
{
	struct here *h = arg;

	ready_end(h);
	agent_tell(h->agent, AGENT_LATE " %u %u", h->world, h->round);
}

/* Most often the path is another one. */
static void on_refusal(void *arg, unsigned status)
{
	const struct here *h = arg;
	const struct role_address *at = &h->agent->address[h->world];
	const struct role_line *line = line_of(h);
	char name[ROLE_WORLD_NAME_SIZE], text[512];

	snprintf(text, sizeof(text),
		 "%s at %s:%u answers GET %.200s with %u, which isn't 200: is "
		 "ready=http:%.200s right? It is asked for %u s "
		 "(ready-timeout)",
		 role_world_name(&h->agent->roles,
				 &h->agent->roles.world[h->world], name),
		 at->host, *at->port, line->ready_value, status,
		 line->ready_value, line->ready_timeout_s);
	agent_say(text);
}

/* --- a line --- */

struct relay {
	const char *text;
	int in;
};

static void pass_on(const char *data, size_t n)
{
	while (n) {
		ssize_t done = write(STDOUT_FILENO, data, n);

		if (done <= 0)
			return;
		data += done;
		n -= (size_t)done;
	}
}

/* In a process of its own: pass all on; at the line write a byte to fd[1]. */
static int relay_run(const int fd[2], const void *arg)
{
	const struct relay *r = arg;
	FILE *in = fdopen(r->in, "r");
	cleanup_free char *line = NULL;
	bool said = false;
	size_t size;
	ssize_t n;

	close_others((int[]){r->in, fd[1]}, 2);
	while (in && (n = getline(&line, &size, in)) > 0) {
		if (!said && strstr(line, r->text))
			said = write(fd[1], "\n", 1) == 1;
		pass_on(line, (size_t)n);
	}
	return 0;
}

static int start_relay(struct here *h, int *ret_out, struct err *err)
{
	struct relay r = {.text = line_of(h)->ready_value};
	const struct subprocess_spec spec = {
		.run = relay_run,
		.arg = &r,
		.flags = SUBPROCESS_OUT,
	};
	int fd[2], rc;

	if (pipe2(fd, O_CLOEXEC) < 0)
		return err_printf(err, "can't make a pipe: %m");
	r.in = fd[0];
	rc = subprocess_start(&spec, &h->relay, err);
	close(fd[0]);
	if (rc < 0)
		close(fd[1]);
	else
		*ret_out = fd[1];
	return rc;
}

/* --- which of them --- */

void ready_init(struct here *h)
{
	struct readiness *w = &h->waiting;

	w->loop = &h->agent->loop;
	w->ready = on_ready;
	w->late = on_late;
	w->refuses = on_refusal;
	w->arg = h;
	w->watch.fd = -1;
}

/* As the world sees it. */
static int look_before(struct here *h, struct err *err)
{
	const struct role_line *line = line_of(h);
	const char *cwd = *line->ready_value == '/' ? NULL : line->cwd;

	if (!h->file && asprintf(&h->file, "%s%s%s", cwd ? cwd : "",
				 cwd ? "/" : "", line->ready_value) < 0) {
		h->file = NULL;
		return err_memory(err);
	}
	h->before = readiness_see_file(h->file);
	return 0;
}

int ready_prepare(struct here *h, int *ret_out, struct err *err)
{
	switch (line_of(h)->ready) {
	case READY_FILE:
		return look_before(h, err);
	case READY_LINE:
		return start_relay(h, ret_out, err);
	default:
		return 0;
	}
}

static int await(struct here *h, struct err *err)
{
	const struct role_line *line = line_of(h);
	const struct role_address *at = &h->agent->address[h->world];
	long limit_s = line->ready_timeout_s;
	int fd = h->relay.out;

	switch (line->ready) {
	case READY_TCP:
		return readiness_of_port(&h->waiting, at->host, *at->port,
					 limit_s, err);
	case READY_HTTP:
		return readiness_of_http(&h->waiting, at->host, *at->port,
					 line->ready_value, limit_s, err);
	case READY_LINE:
		h->relay.out = -1;
		return readiness_of_word(&h->waiting, fd, limit_s, err);
	case READY_FILE:
		readiness_of_file(&h->waiting, h->file, h->before, limit_s);
		return 0;
	default:
		on_ready(h);
		return 0;
	}
}

void ready_begin(struct here *h)
{
	struct err err;

	if (await(h, &err) == 0)
		return;
	agent_say(err.text);
	on_late(h);
}
