/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a world counts as ready (the word ready=). Its first node's agent asks:
 * a port and http by helpers/procs/readiness.h, a file by looking, a line by a
 * process of its own that stands between the launcher's standard output and
 * ours, and that may block where we mayn't.
 */
#include "helpers/roles/agent.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOK_MS 100

static const struct role_line *line_of(const struct here *h)
{
	const struct role_plan *p = &h->agent->roles;

	return &p->file->role[p->world[h->world].role];
}

void ready_end(struct here *h)
{
	struct loop *loop = &h->agent->loop;

	readiness_end(&h->port);
	loop_disarm(loop, &h->look);
	loop_disarm(loop, &h->late);
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

/* --- a file --- */

/* A file of an earlier round, or of another step, isn't the one. */
static struct file_seen see_file(const struct here *h)
{
	const struct role_line *line = line_of(h);
	bool absolute = *line->ready_value == '/' || !line->cwd;
	struct file_seen seen = {0};
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s%s%s", absolute ? "" : line->cwd,
		 absolute ? "" : "/", line->ready_value);
	if (stat(path, &st) < 0)
		return seen;
	seen.there = true;
	seen.inode = st.st_ino;
	seen.changed_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000U +
			  (uint64_t)st.st_mtim.tv_nsec;
	return seen;
}

static void look(void *arg)
{
	struct here *h = arg;
	struct file_seen now = see_file(h);

	if (now.there && (!h->file.there || now.inode != h->file.inode ||
			  now.changed_ns != h->file.changed_ns))
		on_ready(h);
	else
		loop_arm(&h->agent->loop, &h->look, LOOK_MS);
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
	struct readiness *w = &h->port;

	w->loop = &h->agent->loop;
	w->ready = on_ready;
	w->late = on_late;
	w->arg = h;
	w->watch.fd = -1;
	h->look = (struct loop_timer){.expired = look, .arg = h};
	h->late = (struct loop_timer){.expired = on_late, .arg = h};
}

int ready_prepare(struct here *h, int *ret_out, struct err *err)
{
	switch (line_of(h)->ready) {
	case READY_FILE:
		h->file = see_file(h);
		return 0;
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
		return readiness_of_port(&h->port, at->host, *at->port, limit_s,
					 err);
	case READY_HTTP:
		loop_arm(&h->agent->loop, &h->late, (uint64_t)limit_s * 1000);
		return readiness_of_http(&h->port, at->host, *at->port,
					 line->ready_value, err);
	case READY_LINE:
		h->relay.out = -1;
		return readiness_of_word(&h->port, fd, limit_s, err);
	case READY_FILE:
		loop_arm(&h->agent->loop, &h->late, (uint64_t)limit_s * 1000);
		loop_arm(&h->agent->loop, &h->look, 0);
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
