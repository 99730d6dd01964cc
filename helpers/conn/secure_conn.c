/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/conn/secure_conn.h"

#include "helpers/conn/pack.h"
#include "sys/socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define RECORD_CHUNK 8192 /* of a message in one record */

/* --- what waits to be sent --- */

/* What there is to send: bytes in clear before both sides have keys, then the
 * messages that wait, record by record. It has a buffer only while a part of it
 * hasn't been taken by the kernel. */
struct outbox {
	struct msgqueue queue;
	size_t sent; /* of the first message */
	unsigned char *bytes;
	size_t n, ngone;
};

/* Room for n more bytes in clear, for the caller to fill in. NULL when out of
 * memory. */
static unsigned char *outbox_put(struct outbox *box, size_t n)
{
	unsigned char *bytes = realloc(box->bytes, box->n + n);

	if (!bytes)
		return NULL;
	box->bytes = bytes;
	box->n += n;
	return bytes + box->n - n;
}

static bool outbox_has_bytes(const struct outbox *box)
{
	return box->ngone < box->n;
}

/* Whether anything is left. */
static bool outbox_is_empty(const struct outbox *box)
{
	return !msgqueue_first(&box->queue) && !outbox_has_bytes(box);
}

static void drop_bytes(struct outbox *box)
{
	free(box->bytes);
	box->bytes = NULL;
	box->n = box->ngone = 0;
}

/* Seal the next piece of what waits, when the last one has gone. Returns 0 or
 * -1. */
static int fill(struct outbox *box, struct seal *seal)
{
	const struct msgbuf *p = msgqueue_first(&box->queue);
	unsigned char *at;
	uint32_t length;
	size_t n;

	if (outbox_has_bytes(box) || !p || !seal)
		return 0;
	n = p->n - box->sent < RECORD_CHUNK ? p->n - box->sent : RECORD_CHUNK;
	box->n = box->ngone = 0;
	at = outbox_put(box, RECORD_LENGTH + n + SEAL_GROWTH);
	if (!at)
		return -1;
	length = htonl((uint32_t)(n + SEAL_GROWTH));
	memcpy(at, &length, RECORD_LENGTH);
	seal_wrap(seal, p->data + box->sent, n, box->sent + n == p->n,
		  at + RECORD_LENGTH);
	box->sent += n;
	if (box->sent < p->n)
		return 0;
	box->sent = 0;
	msgqueue_drop_first(&box->queue);
	return 0;
}

/* Send as much as the kernel takes; messages only where `seal` isn't NULL.
 * Returns 1 when anything has gone, 0, or -1 with errno. */
static int outbox_send(struct outbox *box, struct seal *seal, int fd)
{
	int any = 0;

	for (;;) {
		ssize_t n;

		if (fill(box, seal) < 0)
			return -1;
		if (!outbox_has_bytes(box))
			break;
		n = send(fd, box->bytes + box->ngone, box->n - box->ngone,
			 MSG_NOSIGNAL);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return any;
		if (n < 0)
			return -1;
		box->ngone += (size_t)n;
		any = 1;
	}
	drop_bytes(box);
	return any;
}

static void outbox_clear(struct outbox *box)
{
	msgqueue_clear(&box->queue);
	drop_bytes(box);
}

/* --- reading and writing --- */

#define MESSAGE_MAX (256UL << 20) /* of the whole step's facts */
#define FIRST_MAX   4096	  /* before the other side has proved itself */
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
	/* what comes in: a salt, a header, a length; or a record behind its
	 * length. Without a record or message on its way there is no buffer. */
	unsigned char head[SEAL_SALT];
	unsigned char *record; /* NULL: none */
	size_t nin, nrecord, come;
	char *message;
	size_t nmessage, message_size;
	struct outbox out;
	/* while the other host hasn't got all that was sent */
	struct loop_timer unanswered;
	uint64_t unanswered_since_ms;
};

static bool may_send(const struct secure_conn *l)
{
	return l->stage == FIRST || l->stage == OPEN;
}

static void want(struct secure_conn *l)
{
	bool more = may_send(l) ? !outbox_is_empty(&l->out)
				: outbox_has_bytes(&l->out);
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
	int rc = outbox_send(&l->out, may_send(l) ? &l->seal : NULL,
			     l->watch.fd);

	if (rc < 0)
		return -1;
	if (rc)
		await_answer(l);
	want(l);
	return 0;
}

static int take_salt(struct secure_conn *l)
{
	size_t salt = l->connects ? 0 : SEAL_SALT;
	unsigned char *at = outbox_put(&l->out, salt + SEAL_HEADER);

	if (!at)
		return -1;
	memcpy(at, l->seal.salt, salt);
	seal_agree(&l->seal, l->step.secret, l->step.id, l->step.port,
		   l->connects, l->head, at + salt);
	l->stage = HEADER;
	return 0;
}

static int take_header(struct secure_conn *l)
{
	if (seal_start(&l->seal, l->head) < 0) {
		errno = EPROTO;
		return -1;
	}
	l->stage = FIRST;
	return 0;
}

static size_t message_max(const struct secure_conn *l)
{
	return l->step.message_max ? l->step.message_max : MESSAGE_MAX;
}

/* Room for n more bytes and a NUL. */
static int grow_message(struct secure_conn *l, size_t n)
{
	size_t need = l->nmessage + n + 1;

	if (need > message_max(l)) {
		errno = EMSGSIZE;
		return -1;
	}
	if (need > l->message_size) {
		size_t size = l->nmessage ? need * 2 : need;
		char *larger = realloc(l->message, size);

		if (!larger)
			return -1;
		l->message = larger;
		l->message_size = size;
	}
	return 0;
}

static int take_record(struct secure_conn *l)
{
	bool last;

	if (grow_message(l, l->nrecord - SEAL_GROWTH) < 0)
		return -1;
	if (seal_unwrap(&l->seal, l->record, l->nrecord,
			l->message + l->nmessage, &last) < 0) {
		errno = EPROTO;
		return -1;
	}
	l->nmessage += l->nrecord - SEAL_GROWTH;
	free(l->record);
	l->record = NULL;
	return last ? 1 : 0;
}

static int take_length(struct secure_conn *l)
{
	size_t max = l->stage == OPEN ? RECORD_CHUNK + SEAL_GROWTH : FIRST_MAX;
	uint32_t n;

	memcpy(&n, l->head, RECORD_LENGTH);
	l->nrecord = ntohl(n);
	if (l->nrecord <= SEAL_GROWTH || l->nrecord > max) {
		errno = EPROTO;
		return -1;
	}
	l->record = malloc(l->nrecord);
	return l->record ? 0 : -1;
}

/* How many bytes have to be there before the next step. */
static size_t needed(const struct secure_conn *l)
{
	if (l->record)
		return l->nrecord;
	if (l->stage == SALT)
		return SEAL_SALT;
	return l->stage == HEADER ? SEAL_HEADER : RECORD_LENGTH;
}

/* Act on what is complete. 1: a message is; 0; -1 with errno. */
static int take(struct secure_conn *l)
{
	l->nin = 0;
	if (l->record)
		return take_record(l);
	if (l->stage == SALT)
		return take_salt(l);
	return l->stage == HEADER ? take_header(l) : take_length(l);
}

/* Read one piece. 1: a message is complete; 0: not yet; -1 with errno, which
 * is 0 at the end of the stream. */
static int read_in(struct secure_conn *l)
{
	for (;;) {
		unsigned char *to = l->record ? l->record : l->head;
		size_t need = needed(l);
		ssize_t n = recv(l->watch.fd, to + l->nin, need - l->nin, 0);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return 0;
		if (n <= 0) {
			errno = n ? errno : 0;
			return -1;
		}
		l->nin += (size_t)n;
		l->come += (size_t)n;
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

/* The message that is complete, as it was before it was packed; for the caller
 * to free. NULL with errno. */
static char *take_message(struct secure_conn *l, size_t *ret_n)
{
	char *message = l->message, *plain;

	*ret_n = l->nmessage;
	message[*ret_n] = '\0';
	l->message = NULL;
	l->nmessage = l->message_size = 0;
	if (message[0] != MSGBUF_PACKED)
		return message;
	plain = unpack(message + 1, *ret_n - 1, message_max(l), ret_n);
	free(message);
	return plain;
}

/* A whole message: hand it over. An empty one is the proof of the secret. */
static void deliver(struct secure_conn *l)
{
	cleanup_free char *message = NULL;
	size_t n;

	if (l->stage == FIRST) {
		l->stage = OPEN;
		l->nmessage = 0;
		l->events.opened(l->events.arg);
		return;
	}
	message = take_message(l, &n);
	if (message)
		l->events.message(l->events.message_arg, message[0],
				  message + 1, n - 1);
	else
		end(l, errno);
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

static int offer_salt(struct secure_conn *l)
{
	unsigned char *at = outbox_put(&l->out, SEAL_SALT);

	if (!at)
		return -1;
	memcpy(at, l->seal.salt, SEAL_SALT);
	return 0;
}

struct secure_conn *secure_conn_new(const struct secure_conn_step *step, int fd,
				    bool connects,
				    const struct secure_conn_events *events,
				    struct err *err)
{
	struct secure_conn *l = calloc(1, sizeof(*l));

	if (!l) {
		close(fd);
		return err_memory_null(err);
	}
	l->step = *step;
	l->events = *events;
	l->connects = connects;
	l->stage = connects ? CONNECTING : SALT;
	msgqueue_init(&l->out.queue);
	l->watch = (struct loop_watch){.fd = fd, .ready = ready, .arg = l};
	l->unanswered = (struct loop_timer){.expired = check_answer, .arg = l};
	socket_lease(fd, step->lease_s);
	if (seal_begin(&l->seal) < 0)
		err_printf(err, "no random bytes");
	else if (prove(l) < 0)
		err_memory(err);
	else if (connects && offer_salt(l) < 0)
		err_memory(err);
	else if (loop_watch(step->loop, &l->watch,
			    EPOLLIN | (connects ? EPOLLOUT : 0), err) == 0)
		return l;
	secure_conn_close(l);
	return NULL;
}

int secure_conn_send(struct secure_conn *l, struct msgbuf *msgbuf)
{
	int rc = msgqueue_add(&l->out.queue, msgbuf);

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
	l->out.queue.limit = bytes;
}

bool secure_conn_is_idle(const struct secure_conn *l)
{
	return outbox_is_empty(&l->out);
}

size_t secure_conn_has_come(const struct secure_conn *l)
{
	return l->come;
}

int secure_conn_fd(const struct secure_conn *l)
{
	return l->watch.fd;
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
	outbox_clear(&l->out);
	free(l->message);
	free(l->record);
	sodium_memzero(&l->seal, sizeof(l->seal));
	free(l);
}
