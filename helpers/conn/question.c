/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/conn/question.h"

#include "helpers/conn/seal.h"
#include "sys/socket.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* As long as a salt, which is random. */
static const char question_text[SEAL_SALT] = "dist-train: the step's secret?";

/* In front of a reason. */
static const char refusal_text[] = "dist-train: no: ";

struct question {
	struct loop *loop;
	struct loop_watch watch;
	void (*answered)(void *arg, const char *text, int why);
	void *arg;
	bool asked;
	size_t n;
	char answer[ANSWER_MAX + 1];
};

/* Returns 0, or -1 with errno, which is 0 when the other side has closed. */
static int ask(struct question *q)
{
	struct err err;
	ssize_t n;

	errno = socket_error(q->watch.fd);
	if (errno)
		return -1;
	n = send(q->watch.fd, question_text, sizeof(question_text),
		 MSG_NOSIGNAL);
	if (n < 0)
		return -1;
	q->asked = true;
	return loop_watch(q->loop, &q->watch, EPOLLIN, &err);
}

/* Read what is there. 1: that was all; 0: not yet; -1 with errno. */
static int take_answer(struct question *q)
{
	ssize_t n = recv(q->watch.fd, q->answer + q->n, ANSWER_MAX - q->n, 0);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	q->n += (size_t)n;
	if (q->n == ANSWER_MAX) {
		errno = EMSGSIZE;
		return -1;
	}
	if (n)
		return 0;
	errno = 0;
	return q->n ? 1 : -1;
}

static void ready(void *arg, uint32_t events)
{
	struct question *q = arg;
	int rc = q->asked ? take_answer(q) : ask(q);

	(void)events;
	if (rc)
		q->answered(q->arg, rc > 0 ? q->answer : NULL,
			    rc > 0 ? 0 : errno);
}

struct question *question_ask(struct loop *loop, int fd,
			      void (*answered)(void *arg, const char *text,
					       int why),
			      void *arg, struct err *err)
{
	struct question *q = calloc(1, sizeof(*q));

	if (!q) {
		close(fd);
		err_memory(err);
		return NULL;
	}
	q->loop = loop;
	q->answered = answered;
	q->arg = arg;
	q->watch = (struct loop_watch){.fd = fd, .ready = ready, .arg = q};
	if (loop_watch(loop, &q->watch, EPOLLOUT, err) == 0)
		return q;
	question_close(q);
	return NULL;
}

void question_close(struct question *q)
{
	if (!q)
		return;
	loop_remove(q->loop, &q->watch);
	close(q->watch.fd);
	free(q);
}

bool question_take(int fd)
{
	char found[sizeof(question_text)];

	return recv(fd, found, sizeof(found), MSG_PEEK) == sizeof(found) &&
	       !memcmp(found, question_text, sizeof(found)) &&
	       recv(fd, found, sizeof(found), 0) == sizeof(found);
}

void question_answer(int fd, const char *text)
{
	/* It fits the buffer of a new connection. */
	if (send(fd, text, strlen(text), MSG_NOSIGNAL) > 0)
		shutdown(fd, SHUT_WR);
}

char *question_refusal(const char *why)
{
	char *text;

	return asprintf(&text, "%s%s\n", refusal_text, why) < 0 ? NULL : text;
}

bool question_is_refused(const char *answer)
{
	return !strncmp(answer, refusal_text, sizeof(refusal_text) - 1);
}

const char *question_why(const char *refusal)
{
	return refusal + sizeof(refusal_text) - 1;
}
