/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In the place of the launchers' channel: a test is the arbiter. The launcher
 * reads messages, "TYPE TEXT" a line, from the pipe PUPPET_IN, and writes its
 * own to the file PUPPET_OUT; what it notes goes to PUPPET_OUT.notes, what it
 * gathers to PUPPET_OUT.rows; with "X FILE" it gets what the file has.
 */
#include "helpers/channel/session.h"

#include "sys/text_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROWS_MAX (1U << 20)

struct session {
	struct session_options o;
	struct loop_watch in;
	FILE *lines;
};

static void gathered(struct session *s, const char *path)
{
	struct err err;
	cleanup_free char *rows = text_file_read(path, ROWS_MAX, &err);
	struct gather_piece all = {.folder = "", .data = rows};
	cleanup_free char *text = NULL;
	size_t n;

	if (!rows)
		exit(99);
	all.n = strlen(rows);
	text = gather_text(&all, &n);
	s->o.message(s->o.arg, MSG_GATHERED, text, n);
}

static void on_line(void *arg, uint32_t events)
{
	struct session *s = arg;
	char line[512], *text;

	(void)events;
	while (fgets(line, sizeof(line), s->lines)) {
		line[strcspn(line, "\n")] = '\0';
		text = line + 1 + (line[1] == ' ');
		if (*line == MSG_GATHERED)
			gathered(s, text);
		else
			s->o.message(s->o.arg, *line, text, strlen(text));
	}
	clearerr(s->lines);
}

struct session *session_open(const struct session_options *options,
			     struct err *err)
{
	struct session *s = calloc(1, sizeof(*s));
	int fd = open(getenv("PUPPET_IN"), O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (!s || fd < 0)
		exit(99);
	s->o = *options;
	s->lines = fdopen(fd, "r");
	s->in = (struct loop_watch){.fd = fd, .ready = on_line, .arg = s};
	if (!s->lines || loop_watch(options->loop, &s->in, EPOLLIN, err) < 0)
		exit(99);
	return s;
}

bool session_no_channel(const struct session *session, const char **ret_why)
{
	(void)session;
	*ret_why = "";
	return false;
}

bool session_knows_secret(const struct session *session)
{
	(void)session;
	return true;
}

int session_secret(const struct session *session, const char *purpose,
		   char ret[SEAL_WORD_SIZE], struct err *err)
{
	(void)session;
	(void)err;
	snprintf(ret, SEAL_WORD_SIZE, "secret-%s", purpose);
	return 0;
}

static void put(const char *suffix, const char *data, size_t n)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s%s", getenv("PUPPET_OUT"), suffix);
	f = fopen(path, "ae");
	if (!f || fwrite(data, 1, n, f) != n || fclose(f) != 0)
		exit(99);
}

void session_send(struct session *session, char type, const char *data,
		  size_t n)
{
	char line[512];
	int len = snprintf(line, sizeof(line), "%c %s\n", type, data);

	(void)session;
	(void)n;
	put(type == MSG_NOTE ? ".notes" : "", line, (size_t)len);
}

int session_gather(struct session *session, const struct gather_piece *piece)
{
	put(".rows", piece->data, piece->n);
	session_send(session, MSG_GATHER, "", 0);
	return 0;
}

const struct secure_conn_step *session_sealing(const struct session *session)
{
	(void)session;
	return NULL;
}

void session_told_to_end(struct session *session)
{
	(void)session;
}

void session_close(struct session *session)
{
	if (!session)
		return;
	loop_remove(session->o.loop, &session->in);
	fclose(session->lines);
	free(session);
}
