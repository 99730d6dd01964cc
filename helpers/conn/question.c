/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/conn/question.h"

#include "helpers/auth/giver.h"
#include "helpers/conn/seal.h"
#include "sys/socket.h"

#include <arpa/inet.h>
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
	struct asker *asker;   /* NULL: no tokens */
	struct asking *asking; /* ours is being made, or is made */
	bool asked;
	size_t n;
	char answer[ANSWER_MAX + 1];
};

static int send_all(struct question *q, const void *text, size_t n)
{
	struct err err;

	if (send(q->watch.fd, text, n, MSG_NOSIGNAL) < 0)
		return -1;
	q->asked = true;
	return loop_watch(q->loop, &q->watch, EPOLLIN, &err);
}

/* Returns 0, or -1 with errno. */
static int send_token(struct question *q, const char *token)
{
	char text[ASKER_MARK + SACK_ANSWER + SACK_TOKEN_MAX];
	size_t n = strlen(token);
	const uint32_t number = htonl((uint32_t)n);

	memcpy(text, asker_question, ASKER_MARK);
	memcpy(text + ASKER_MARK, &number, sizeof(number));
	memcpy(text + ASKER_MARK + sizeof(number), token, n);
	return send_all(q, text, ASKER_MARK + sizeof(number) + n);
}

static void on_token(void *arg, const char *token)
{
	struct question *q = arg;

	if (!token)
		errno = ENOKEY;
	if (!token || send_token(q, token) < 0)
		q->answered(q->arg, NULL, errno);
}

/* Somebody is there: it is worth a token. */
static int make_token(struct question *q)
{
	loop_remove(q->loop, &q->watch);
	q->asking = asking_begin(q->asker, on_token, q);
	errno = ENOKEY;
	return q->asking ? 0 : -1;
}

/* Returns 0, or -1 with errno, which is 0 when the other side has closed. */
static int ask(struct question *q)
{
	errno = socket_error(q->watch.fd);
	if (errno)
		return -1;
	return q->asker ? make_token(q)
			: send_all(q, question_text, sizeof(question_text));
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

static void on_looked(void *arg)
{
	struct question *q = arg;

	q->answered(q->arg, q->answer, 0);
}

static void look(struct question *q)
{
	loop_remove(q->loop, &q->watch);
	if (q->asking && !question_is_refused(q->answer))
		asking_look(q->asking, q->answer, on_looked);
	else
		on_looked(q);
}

static void ready(void *arg, uint32_t events)
{
	struct question *q = arg;
	int rc = q->asked ? take_answer(q) : ask(q);

	(void)events;
	if (rc < 0)
		q->answered(q->arg, NULL, errno);
	else if (rc > 0)
		look(q);
}

struct question *question_ask(struct loop *loop, struct asker *asker, int fd,
			      void (*answered)(void *arg, const char *text,
					       int why),
			      void *arg, struct err *err)
{
	struct question *q = calloc(1, sizeof(*q));

	if (!q) {
		close(fd);
		return err_memory_null(err);
	}
	q->loop = loop;
	q->asker = asker && asker_has_tokens(asker) ? asker : NULL;
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
	asking_close(q->asking);
	loop_remove(q->loop, &q->watch);
	close(q->watch.fd);
	free(q);
}

/* One by tokens, where there are none: only a refusal can be its answer. */
static bool take_token(int fd)
{
	char token[ASKER_MARK + SACK_ANSWER + SACK_TOKEN_MAX];

	return giver_is_asked(fd) && recv(fd, token, sizeof(token), 0) > 0;
}

bool question_take(int fd)
{
	char found[sizeof(question_text)];

	if (take_token(fd))
		return true;
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
