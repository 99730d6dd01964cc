/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/conn/secure_conn.h"

#include "helpers/conn/msgqueue.h"
#include "helpers/conn/seal.h"
#include "sys/socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define CHUNK	    8192	  /* of a message in one record */
#define MESSAGE_MAX (256UL << 20) /* of the whole step's facts */
#define FIRST_MAX   4096	  /* before the other side has proved itself */
#define LENGTH_SIZE sizeof(uint32_t)
#define RECORD_MAX  (LENGTH_SIZE + CHUNK + SEAL_GROWTH)
#define ANSWER_MS   1000 /* between two looks whether what was sent arrived */

/* What the other side has to send next. */
enum stage { CONNECTING, SALT, HEADER, FIRST, OPEN };

struct secure_conn {
	struct secure_conn_step step;
	struct secure_conn_events events;
	struct loop_watch watch;
	struct seal seal;
	bool connects;
	enum stage stage;
	/* what comes in */
	unsigned char in[RECORD_MAX];
	size_t nin;
	char *message;
	size_t nmessage, message_size;
	/* what goes out */
	unsigned char out[SEAL_SALT + SEAL_HEADER + RECORD_MAX];
	size_t nout, out_sent;
	struct msgqueue queue;
	size_t sent; /* of the first msgbuf */
	/* while the other host hasn't got all that was sent */
	struct loop_timer unanswered;
	uint64_t unanswered_since_ms;
};

static bool may_send(const struct secure_conn *l)
{
	return l->stage == FIRST || l->stage == OPEN;
}

/* Seal the next piece of what waits, when the last one has gone. */
static void fill_out(struct secure_conn *l)
{
	const struct msgbuf *p = msgqueue_first(&l->queue);
	uint32_t length;
	size_t n;

	if (l->out_sent < l->nout || !p || !may_send(l))
		return;
	n = p->n - l->sent < CHUNK ? p->n - l->sent : CHUNK;
	length = htonl((uint32_t)(n + SEAL_GROWTH));
	memcpy(l->out, &length, LENGTH_SIZE);
	seal_wrap(&l->seal, p->data + l->sent, n, l->sent + n == p->n,
		  l->out + LENGTH_SIZE);
	l->nout = LENGTH_SIZE + n + SEAL_GROWTH;
	l->out_sent = 0;
	l->sent += n;
	if (l->sent < p->n)
		return;
	l->sent = 0;
	msgqueue_drop_first(&l->queue);
}

static void want(struct secure_conn *l)
{
	bool more = l->out_sent < l->nout ||
		    (msgqueue_first(&l->queue) && may_send(l));
	bool writes = more || l->stage == CONNECTING;
	struct err err;

	loop_watch(l->step.loop, &l->watch, EPOLLIN | (writes ? EPOLLOUT : 0),
		   &err);
}

/* Something was sent: keepalive watches only idle connections. */
static void await_answer(struct secure_conn *l)
{
	if (l->unanswered.armed)
		return;
	l->unanswered_since_ms = loop_now_ms();
	loop_arm(l->step.loop, &l->unanswered, ANSWER_MS);
}

/* Returns 0, or -1 with errno when the connection is broken. */
static int write_out(struct secure_conn *l)
{
	for (;;) {
		ssize_t n;

		fill_out(l);
		if (l->out_sent == l->nout)
			break;
		n = send(l->watch.fd, l->out + l->out_sent,
			 l->nout - l->out_sent, MSG_NOSIGNAL);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		if (n < 0)
			return -1;
		l->out_sent += (size_t)n;
		await_answer(l);
	}
	want(l);
	return 0;
}

static void put(struct secure_conn *l, const void *data, size_t n)
{
	memcpy(l->out + l->nout, data, n);
	l->nout += n;
}

static int take_salt(struct secure_conn *l)
{
	unsigned char header[SEAL_HEADER];

	seal_agree(&l->seal, l->step.secret, l->step.id, l->step.port,
		   l->connects, l->in, header);
	if (!l->connects)
		put(l, l->seal.salt, SEAL_SALT);
	put(l, header, sizeof(header));
	l->stage = HEADER;
	return 0;
}

static int take_header(struct secure_conn *l)
{
	if (seal_start(&l->seal, l->in) < 0) {
		errno = EPROTO;
		return -1;
	}
	l->stage = FIRST;
	return 0;
}

/* Room for n more bytes and a NUL. */
static int grow_message(struct secure_conn *l, size_t n)
{
	size_t need = l->nmessage + n + 1;
	size_t max = l->step.message_max ? l->step.message_max : MESSAGE_MAX;

	if (need > max) {
		errno = EMSGSIZE;
		return -1;
	}
	if (need > l->message_size) {
		char *larger = realloc(l->message, need * 2);

		if (!larger)
			return -1;
		l->message = larger;
		l->message_size = need * 2;
	}
	return 0;
}

/* A whole message: hand it over. An empty one is the proof of the secret. */
static void deliver(struct secure_conn *l)
{
	size_t n = l->nmessage;

	l->message[n] = '\0';
	l->nmessage = 0;
	if (l->stage == FIRST) {
		l->stage = OPEN;
		l->events.opened(l->events.arg);
		return;
	}
	l->events.message(l->events.message_arg, l->message[0], l->message + 1,
			  n - 1);
}

static int take_record(struct secure_conn *l, size_t n)
{
	bool last;

	if (grow_message(l, n - SEAL_GROWTH) < 0)
		return -1;
	if (seal_unwrap(&l->seal, l->in + LENGTH_SIZE, n,
			l->message + l->nmessage, &last) < 0) {
		errno = EPROTO;
		return -1;
	}
	l->nmessage += n - SEAL_GROWTH;
	return last ? 1 : 0;
}

/* How many bytes have to be there before the next step; 0: nonsense. */
static size_t needed(const struct secure_conn *l)
{
	size_t max = l->stage == OPEN ? CHUNK + SEAL_GROWTH : FIRST_MAX;
	uint32_t n;

	if (l->stage == SALT)
		return SEAL_SALT;
	if (l->stage == HEADER)
		return SEAL_HEADER;
	if (l->nin < LENGTH_SIZE)
		return LENGTH_SIZE;
	memcpy(&n, l->in, LENGTH_SIZE);
	n = ntohl(n);
	return n <= SEAL_GROWTH || n > max ? 0 : LENGTH_SIZE + n;
}

/* Act on what is complete. 1: a message is; 0; -1 with errno. */
static int take(struct secure_conn *l)
{
	int rc;

	if (l->stage == SALT)
		rc = take_salt(l);
	else if (l->stage == HEADER)
		rc = take_header(l);
	else if (l->nin == LENGTH_SIZE)
		return 0;
	else
		rc = take_record(l, l->nin - LENGTH_SIZE);
	l->nin = 0;
	return rc;
}

/* Read one piece. 1: a message is complete; 0: not yet; -1 with errno, which
 * is 0 at the end of the stream. */
static int read_in(struct secure_conn *l)
{
	for (;;) {
		size_t need = needed(l);
		ssize_t n;

		if (!need) {
			errno = EPROTO;
			return -1;
		}
		n = recv(l->watch.fd, l->in + l->nin, need - l->nin, 0);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return 0;
		if (n <= 0) {
			errno = n ? errno : 0;
			return -1;
		}
		l->nin += (size_t)n;
		if (l->nin == need) {
			int rc = take(l);

			if (rc != 0)
				return rc;
		}
	}
}

static void end(struct secure_conn *l, int why)
{
	loop_remove(l->step.loop, &l->watch);
	loop_disarm(l->step.loop, &l->unanswered);
	l->events.lost(l->events.arg, why);
}

static void check_answer(void *arg)
{
	struct secure_conn *l = arg;

	enum socket_answer answer =
		socket_answer(l->watch.fd, l->step.lease_s,
			      loop_now_ms() - l->unanswered_since_ms);

	if (answer == SOCKET_SILENT)
		end(l, ETIMEDOUT);
	else if (answer == SOCKET_WAITING)
		loop_arm(l->step.loop, &l->unanswered, ANSWER_MS);
}

/* One message at a time: whoever gets it may close the conn. */
static void ready(void *arg, uint32_t events)
{
	struct secure_conn *l = arg;
	int rc;

	if (l->stage == CONNECTING) {
		int why = socket_error(l->watch.fd);

		if (why) {
			end(l, why);
			return;
		}
		l->stage = SALT;
	}
	rc = events & ~(uint32_t)EPOLLOUT ? read_in(l) : 0;
	if (rc < 0 || write_out(l) < 0)
		end(l, errno);
	else if (rc > 0)
		deliver(l);
}

/* The first record of either side proves that it has the secret. */
static int prove(struct secure_conn *l)
{
	struct msgbuf *proof = msgbuf_new('P', NULL, 0);
	int rc = proof ? secure_conn_send(l, proof) : -1;

	msgbuf_drop(proof);
	return rc;
}

struct secure_conn *secure_conn_new(const struct secure_conn_step *step, int fd,
				    bool connects,
				    const struct secure_conn_events *events,
				    struct err *err)
{
	struct secure_conn *l = calloc(1, sizeof(*l));

	if (!l) {
		close(fd);
		err_memory(err);
		return NULL;
	}
	l->step = *step;
	l->events = *events;
	l->connects = connects;
	l->stage = connects ? CONNECTING : SALT;
	msgqueue_init(&l->queue);
	l->watch = (struct loop_watch){.fd = fd, .ready = ready, .arg = l};
	l->unanswered = (struct loop_timer){.expired = check_answer, .arg = l};
	socket_lease(fd, step->lease_s);
	if (seal_begin(&l->seal) < 0)
		err_printf(err, "no random bytes");
	else if (prove(l) < 0)
		err_memory(err);
	else if (loop_watch(step->loop, &l->watch,
			    EPOLLIN | (connects ? EPOLLOUT : 0), err) == 0) {
		if (connects)
			put(l, l->seal.salt, SEAL_SALT);
		return l;
	}
	secure_conn_close(l);
	return NULL;
}

int secure_conn_send(struct secure_conn *l, struct msgbuf *msgbuf)
{
	int rc = msgqueue_add(&l->queue, msgbuf);

	/* Its end comes by the loop: our caller may be in the middle of it */
	if (rc > 0)
		shutdown(l->watch.fd, SHUT_RDWR);
	if (rc)
		return -1;
	if (l->stage == OPEN)
		want(l);
	return 0;
}

void secure_conn_limit(struct secure_conn *l, size_t bytes)
{
	l->queue.limit = bytes;
}

bool secure_conn_is_idle(const struct secure_conn *l)
{
	return !msgqueue_first(&l->queue) && l->out_sent == l->nout;
}

long secure_conn_silence_s(const struct secure_conn *l)
{
	return socket_silence_s(l->watch.fd);
}

void secure_conn_close(struct secure_conn *l)
{
	if (!l)
		return;
	loop_remove(l->step.loop, &l->watch);
	loop_disarm(l->step.loop, &l->unanswered);
	close(l->watch.fd);
	msgqueue_clear(&l->queue);
	free(l->message);
	sodium_memzero(&l->seal, sizeof(l->seal));
	free(l);
}
