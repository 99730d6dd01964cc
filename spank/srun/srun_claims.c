/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Never two holders: the office is free only when the holder's kernel has
 * closed its connection, or nothing has come from it for the lease. srun
 * answers each beat by one: so a holder knows which of its beats has come, and
 * counts its own, shorter time from when it sent that one
 * (core/option/recovery_times.h). Bytes that the network has kept for long
 * deceive nobody.
 */
#include "spank/srun/srun_claims.h"

#include "core/facts/handover.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define HEAR_SIZE 64

enum heard {
	HEARD_BEATS, /* or nothing */
	HEARD_WORD,
	HEARD_END,   /* the other end has closed the connection */
	HEARD_FAULT, /* the network has ended it */
};

static void remove_waiting(struct claims *c, unsigned i)
{
	if (c->waiting[i].fd >= 0)
		close(c->waiting[i].fd);
	c->n--;
	memmove(&c->waiting[i], &c->waiting[i + 1],
		(c->n - i) * sizeof(c->waiting[0]));
}

void claims_add(struct claims *c, int fd, unsigned procid, uint64_t now_ms)
{
	unsigned i = 0;

	while (i < c->n && c->waiting[i].procid < procid)
		i++;
	if (i < c->n && c->waiting[i].procid == procid)
		remove_waiting(c, i);
	if (i == CLAIMS_MAX) {
		close(fd);
		return;
	}
	if (c->n == CLAIMS_MAX)
		remove_waiting(c, c->n - 1);
	memmove(&c->waiting[i + 1], &c->waiting[i],
		(c->n - i) * sizeof(c->waiting[0]));
	c->waiting[i] =
		(struct claim){.fd = fd, .procid = procid, .heard_ms = now_ms};
	c->n++;
}

/* Answer the beats that came, count the rounds, hear of the step's end, and
 * find the first other byte, in *ret_word. */
static enum heard take(struct claim *claim, const char *bytes, size_t n,
		       char *ret_word)
{
	char answers[HEAR_SIZE];
	size_t beats = 0, i;

	claim->nrounds = 0;
	for (i = 0; i < n; i++)
		if (srun_heard_take(&claim->heard, bytes[i]))
			continue;
		else if (bytes[i] == *SRUN_BEAT)
			answers[beats++] = *SRUN_BEAT;
		else if (bytes[i] == *SRUN_ROUND)
			claim->nrounds++;
		else
			break;
	/* Who doesn't read has fewer answers, and gives up the earlier */
	send(claim->fd, answers, beats, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (i == n)
		return HEARD_BEATS;
	*ret_word = bytes[i];
	return HEARD_WORD;
}

static enum heard hear(struct claim *claim, uint64_t now_ms, char *ret_word)
{
	char bytes[HEAR_SIZE];
	ssize_t n = recv(claim->fd, bytes, sizeof(bytes), MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return HEARD_BEATS;
	if (n < 0 && errno != ECONNRESET)
		return HEARD_FAULT;
	if (n <= 0)
		return HEARD_END;
	claim->heard_ms = now_ms;
	return take(claim, bytes, (size_t)n, ret_word);
}

static void hang_up(struct claim *claim)
{
	if (claim->fd >= 0)
		close(claim->fd);
	claim->fd = -1;
}

static void set_free(struct claims *c, bool silent, uint64_t now_ms)
{
	hang_up(&c->holder);
	c->held = false;
	c->silent = silent;
	c->free_ms = now_ms;
}

static bool is_silent(const struct claims *c, const struct claim *claim,
		      uint64_t now_ms)
{
	return now_ms - claim->heard_ms >= c->lease_ms;
}

/* What one holder has said holds for the next one, too. */
static enum heard hear_office(struct claims *c, uint64_t now_ms, char *ret_word)
{
	struct claim *holder = &c->holder;
	enum heard heard;

	if (holder->fd < 0)
		return HEARD_BEATS;
	heard = hear(holder, now_ms, ret_word);
	c->heard.told |= holder->heard.told;
	if (holder->heard.has_outcome)
		c->heard.outcome = holder->heard.outcome;
	c->heard.has_outcome |= holder->heard.has_outcome;
	return heard;
}

static char hear_holder(struct claims *c, uint64_t now_ms)
{
	char word = 0;

	switch (hear_office(c, now_ms, &word)) {
	case HEARD_WORD:
		set_free(c, false, now_ms);
		return word;
	case HEARD_END:
		set_free(c, false, now_ms);
		return 0;
	case HEARD_FAULT:
		hang_up(&c->holder);
		break;
	case HEARD_BEATS:
		break;
	}
	c->round += c->holder.nrounds;
	c->holder.nrounds = 0;
	if (is_silent(c, &c->holder, now_ms))
		set_free(c, true, now_ms);
	return 0;
}

/* Who waits has nothing to say but that it is there. */
static void hear_waiting(struct claims *c, uint64_t now_ms)
{
	char word;

	for (unsigned i = c->n; i-- > 0;)
		if (hear(&c->waiting[i], now_ms, &word) != HEARD_BEATS ||
		    is_silent(c, &c->waiting[i], now_ms))
			remove_waiting(c, i);
}

/* Two intervals without a beat: it may be lost itself. */
static bool is_there(const struct claims *c, const struct claim *claim,
		     uint64_t now_ms)
{
	return now_ms - claim->heard_ms <= 2 * c->interval_ms;
}

static bool tell_granted(const struct claim *claim, unsigned term,
			 unsigned round)
{
	char bytes[1 + 2 * SRUN_NUMBER_SIZE] = SRUN_GRANTED;
	uint32_t number[] = {htonl(term), htonl(round)};

	memcpy(bytes + 1, number, sizeof(number));
	return send(claim->fd, bytes, sizeof(bytes),
		    MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof(bytes);
}

static void tell_end(const struct claims *c)
{
	char bytes[1 + SRUN_END_SIZE] = SRUN_END_TIME;
	uint64_t seconds = htobe64((uint64_t)c->end);

	memcpy(bytes + 1, &seconds, sizeof(seconds));
	send(c->holder.fd, bytes, sizeof(bytes), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void claims_end_time(struct claims *c, int64_t seconds)
{
	c->has_end = true;
	c->end = seconds;
	if (c->held && c->holder.fd >= 0)
		tell_end(c);
}

/* The first claim whose launcher is there; c->n: none. */
static unsigned find_next(const struct claims *c, uint64_t now_ms)
{
	unsigned i = 0;

	while (i < c->n && !is_there(c, &c->waiting[i], now_ms))
		i++;
	return i;
}

static void grant(struct claims *c, uint64_t now_ms)
{
	unsigned i = find_next(c, now_ms);
	struct claim next;

	if (i == c->n) {
		c->grant_ms = 0;
		return;
	}
	if (!c->grant_ms)
		c->grant_ms = now_ms + CLAIMS_WINDOW_MS;
	next = c->waiting[i];
	/* Nobody comes before the first launcher, at the start */
	if (now_ms < c->grant_ms && (c->term || next.procid))
		return;
	c->term++;
	c->held = tell_granted(&next, c->term, c->round);
	/* The first launcher has begun round 0; who takes over begins one */
	c->round += c->term > 1 || next.procid;
	if (c->held) {
		c->holder = next;
		c->holder.nrounds = 0;
		c->waiting[i].fd = -1;
		c->grant_ms = 0;
	}
	if (c->held && c->has_end)
		tell_end(c);
	remove_waiting(c, i);
}

char claims_run(struct claims *c, uint64_t now_ms)
{
	char word = c->held ? hear_holder(c, now_ms) : 0;

	c->run_ms = now_ms;
	if (word)
		return word;
	hear_waiting(c, now_ms);
	if (!c->held)
		grant(c, now_ms);
	return 0;
}

uint64_t claims_next_ms(const struct claims *c)
{
	uint64_t next = c->run_ms + c->interval_ms;
	uint64_t due = c->held ? c->holder.heard_ms + c->lease_ms : c->grant_ms;

	if (!c->held && !c->n)
		return UINT64_MAX;
	return due && due < next ? due : next;
}

unsigned claims_poll(const struct claims *c, struct pollfd *p)
{
	unsigned n = 0;

	if (c->held)
		p[n++] = (struct pollfd){.fd = c->holder.fd, .events = POLLIN};
	for (unsigned i = 0; i < c->n; i++)
		p[n++] = (struct pollfd){.fd = c->waiting[i].fd,
					 .events = POLLIN};
	return n;
}

void claims_close(struct claims *c)
{
	if (c->held)
		hang_up(&c->holder);
	c->held = false;
	while (c->n)
		remove_waiting(c, c->n - 1);
}
