/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/recovery/srun_claim.h"

#include "core/option/recovery_times.h"
#include "sys/socket.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define TRIES	 20 /* before srun counts as out of reach */
#define RETRY_MS 250
#define TRY_MS	 3000 /* for a connection to come about */
#define LOOK_MS	 3000 /* from one look to the next */

static void hang_up(struct srun_claim *c)
{
	loop_disarm(c->o.loop, &c->beat);
	if (c->watch.fd < 0)
		return;
	loop_remove(c->o.loop, &c->watch);
	close(c->watch.fd);
	c->watch.fd = -1;
	c->sent = c->granted = false;
}

static bool is_refused(int why)
{
	return why == ECONNREFUSED;
}

/* The line has ended; an srun that listens no more has ended, too. */
static void over(struct srun_claim *c, int why)
{
	hang_up(c);
	if ((c->there || c->o.was_there) && is_refused(why)) {
		c->o.gone(c->o.arg);
		return;
	}
	loop_arm(c->o.loop, &c->retry, RETRY_MS);
	if (!c->there && ++c->tries == TRIES)
		c->o.unreachable(c->o.arg);
}

/* --- what is said --- */

/* Returns 0, or -1 with errno: the line has ended. */
static int send_claim(struct srun_claim *c)
{
	unsigned char text[TOKEN_SIZE + 1 + SRUN_NUMBER_SIZE];
	uint32_t number = htonl(c->o.procid);

	memcpy(text, c->o.token, TOKEN_SIZE);
	text[TOKEN_SIZE] = (unsigned char)*SRUN_CLAIM;
	memcpy(text + TOKEN_SIZE + 1, &number, SRUN_NUMBER_SIZE);
	c->since_ms = c->ok_ms = loop_now_ms();
	c->sent = send(c->watch.fd, text, sizeof(text), MSG_NOSIGNAL) ==
		  sizeof(text);
	c->nsent = c->nanswered = c->nin = 0;
	return c->sent ? 0 : -1;
}

static void send_beat(struct srun_claim *c)
{
	uint64_t now = loop_now_ms();

	if (send(c->watch.fd, SRUN_BEAT, 1, MSG_NOSIGNAL) == 1)
		c->sent_ms[c->nsent++ % CLAIM_BEATS] = now;
}

/* Also the limit for a connection to come about, and for srun's silence. */
static void on_beat(void *arg)
{
	struct srun_claim *c = arg;
	uint64_t now = loop_now_ms();
	uint64_t patience = c->sent ? recovery_fence_ms(c->o.lease_s) : TRY_MS;

	if (now - c->ok_ms > patience ||
	    c->nsent - c->nanswered >= CLAIM_BEATS) {
		over(c, ETIMEDOUT);
		return;
	}
	if (c->sent)
		send_beat(c);
	loop_arm(c->o.loop, &c->beat, recovery_interval_ms(c->o.lease_s));
}

/* --- what srun says --- */

static void note_answer(struct srun_claim *c)
{
	c->there = true;
	if (c->nanswered == c->nsent)
		return;
	c->ok_ms = c->sent_ms[c->nanswered++ % CLAIM_BEATS];
	if (c->granted)
		c->held_ms = c->ok_ms;
}

static void note_grant(struct srun_claim *c)
{
	uint32_t number[2];

	memcpy(number, c->in + 1, sizeof(number));
	c->there = c->granted = true;
	c->term = ntohl(number[0]);
	c->held_ms = c->ok_ms;
	c->round = ntohl(number[1]);
	c->o.granted(c->o.arg, c->term);
}

static void note_end_time(struct srun_claim *c)
{
	uint64_t seconds;

	memcpy(&seconds, c->in + 1, sizeof(seconds));
	if (c->o.end_time)
		c->o.end_time(c->o.arg, (int64_t)be64toh(seconds));
}

_Static_assert(SRUN_END_SIZE == 2 * SRUN_NUMBER_SIZE,
	       "what srun sends has one size");

/* One byte of the line. */
static void take(struct srun_claim *c, unsigned char byte)
{
	if (!c->nin && byte == (unsigned char)*SRUN_BEAT) {
		note_answer(c);
		return;
	}
	if (!c->nin && byte != (unsigned char)*SRUN_GRANTED &&
	    byte != (unsigned char)*SRUN_END_TIME)
		return;
	c->in[c->nin++] = byte;
	if (c->nin < sizeof(c->in))
		return;
	c->nin = 0;
	if (c->in[0] == (unsigned char)*SRUN_GRANTED)
		note_grant(c);
	else
		note_end_time(c);
}

/* The owner may close the claim whenever it is told something. */
static void hear(struct srun_claim *c)
{
	unsigned char bytes[CLAIM_BEATS];
	ssize_t n = recv(c->watch.fd, bytes, sizeof(bytes), 0);
	int why = errno;

	if (n < 0 && (why == EAGAIN || why == EINTR))
		return;
	if (n <= 0) {
		over(c, n ? why : 0);
		return;
	}
	for (ssize_t i = 0; i < n && c->watch.fd >= 0; i++)
		take(c, bytes[i]);
}

static void changed(void *arg, uint32_t events)
{
	struct srun_claim *c = arg;
	struct err err;
	int why =
		events & (EPOLLERR | EPOLLHUP) ? socket_error(c->watch.fd) : 0;

	if (why) {
		over(c, why);
	} else if (c->o.looks) {
		hang_up(c);
		loop_arm(c->o.loop, &c->retry, LOOK_MS);
	} else if (c->sent) {
		hear(c);
	} else if (send_claim(c) < 0) {
		over(c, errno);
	} else {
		send_beat(c);
		loop_watch(c->o.loop, &c->watch, EPOLLIN, &err);
	}
}

/* --- opening and closing --- */

static void call(void *arg)
{
	struct srun_claim *c = arg;
	struct err err;

	c->sent = c->granted = false;
	c->ok_ms = c->since_ms = loop_now_ms();
	c->nsent = c->nanswered = 0;
	c->watch.fd = socket_connect(c->o.ip, c->o.port);
	if (c->watch.fd < 0 ||
	    loop_watch(c->o.loop, &c->watch, EPOLLOUT | EPOLLIN, &err) < 0) {
		over(c, c->watch.fd < 0 ? errno : 0);
		return;
	}
	socket_set(c->watch.fd, IPPROTO_TCP, TCP_NODELAY, 1);
	loop_arm(c->o.loop, &c->beat, recovery_interval_ms(c->o.lease_s));
}

void srun_claim_open(struct srun_claim *c,
		     const struct srun_claim_options *options)
{
	if (c->open)
		return;
	*c = (struct srun_claim){
		.o = *options,
		.open = true,
		.watch = {.fd = -1, .ready = changed, .arg = c},
		.retry = {.expired = call, .arg = c},
		.beat = {.expired = on_beat, .arg = c},
	};
	loop_arm(c->o.loop, &c->retry, 0);
}

bool srun_claim_is_held(const struct srun_claim *c)
{
	return c->term &&
	       loop_now_ms() - c->held_ms < recovery_fence_ms(c->o.lease_s);
}

bool srun_claim_is_undecided(const struct srun_claim *c)
{
	return c->open && !c->term && (c->there || c->tries < TRIES);
}

bool srun_claim_is_refused(const struct srun_claim *c, uint64_t ms)
{
	return !c->term && c->nanswered && loop_now_ms() - c->since_ms > ms;
}

void srun_claim_ask(struct srun_claim *c)
{
	if (c->sent && c->watch.fd >= 0 && !c->told &&
	    c->nsent - c->nanswered < CLAIM_BEATS &&
	    send(c->watch.fd, SRUN_ROUND, 1, MSG_NOSIGNAL) == 1)
		send_beat(c);
}

void srun_claim_tell(struct srun_claim *c, const char *word)
{
	if (c->sent && c->watch.fd >= 0)
		send(c->watch.fd, word, 1, MSG_NOSIGNAL);
	c->told = true;
	loop_disarm(c->o.loop, &c->beat);
}

void srun_claim_say(struct srun_claim *c, const char *text, size_t n)
{
	if (c->sent && c->watch.fd >= 0 && !c->told)
		send(c->watch.fd, text, n, MSG_NOSIGNAL);
}

void srun_claim_close(struct srun_claim *c)
{
	if (!c->open)
		return;
	loop_disarm(c->o.loop, &c->retry);
	hang_up(c);
	*c = (struct srun_claim){.watch.fd = -1};
}
