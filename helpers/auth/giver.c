/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/auth/giver.h"

#include "helpers/auth/asker.h"
#include "helpers/auth/deal.h"
#include "helpers/auth/sack.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* For so many askers as come within a part of its life one token is made: what
 * is left of it is theirs, to have it verified. */
#define PART_OF_LIFE 4

struct giver {
	struct giver_options o;
	struct sack *sack;
	struct deal deal;	    /* of the last token */
	char given[SACK_TOKEN_MAX]; /* "": none yet */
	int64_t until_s;	    /* so long it is given */
};

/* What comes: the mark, a length, a token. */
#define HEAD (ASKER_MARK + SACK_ANSWER)

struct giving {
	struct giver *giver;
	struct loop_watch watch;
	void (*over)(void *arg);
	void *arg;
	struct sack_call *call;
	struct deal deal;
	size_t nin;
	char in[HEAD + SACK_TOKEN_MAX]; /* the token has a NUL behind it */
};

static const char *asked(const struct giving *g)
{
	return g->in + HEAD;
}

/* --- the answer --- */

/* It fits the buffer of a new connection. */
static void say(const struct giving *g, const char *text)
{
	if (send(g->watch.fd, text, strlen(text), MSG_NOSIGNAL) > 0)
		shutdown(g->watch.fd, SHUT_WR);
}

static void give(const struct giving *g)
{
	const struct giver *giver = g->giver;
	struct deal deal = giver->deal;
	char sealed[DEAL_HEX], *text;

	memcpy(deal.peer_key, g->deal.peer_key, DEAL_KEY);
	if (deal_seal(&deal, asked(g), giver->given, giver->o.secret, sealed) <
		    0 ||
	    asprintf(&text, "%s%s %s\n", asker_given, giver->given, sealed) < 0)
		return;
	say(g, text);
	free(text);
}

static int64_t now_s(void)
{
	return (int64_t)(loop_now_ms() / 1000);
}

/* Of our own, whose key is g's */
static void keep(struct giver *giver, const struct giving *g, const char *token)
{
	struct sack_claims claims;
	struct err err;

	*giver->given = '\0';
	if (sack_words_read(token, &claims, &err) < 0)
		return;
	giver->deal = g->deal;
	snprintf(giver->given, sizeof(giver->given), "%s", token);
	giver->until_s =
		now_s() + (claims.end_s - claims.made_s) / PART_OF_LIFE;
}

static void on_made(void *arg, const char *token, const char *why)
{
	struct giving *g = arg;

	(void)why;
	g->call = NULL;
	if (token)
		keep(g->giver, g, token);
	if (token && *g->giver->given)
		give(g);
	g->over(g->arg);
}

/* A new one, with a key that is its own: for this asker, and who comes next. */
static void make_token(struct giving *g)
{
	const struct giver_options *o = &g->giver->o;
	char payload[SACK_PAYLOAD_MAX];
	struct deal deal;
	struct err err;

	if (deal_begin(&deal, o->id, g->deal.uid, o->auth.slurm_user, &err) < 0)
		return;
	memcpy(deal.peer_key, g->deal.peer_key, DEAL_KEY);
	g->deal = deal;
	deal_payload(&deal, DEAL_GIVES, payload);
	g->call = sack_create(g->giver->sack, deal.uid, payload, on_made, g);
}

static void on_verified(void *arg, const char *token, const char *why)
{
	struct giving *g = arg;
	const struct giver *giver = g->giver;

	(void)why;
	g->call = NULL;
	if (token && *giver->given && now_s() < giver->until_s)
		give(g);
	else if (token)
		make_token(g);
	if (!g->call)
		g->over(g->arg);
}

/* Strangers learn nothing by what is wrong. */
static void look(struct giving *g)
{
	const struct giver_options *o = &g->giver->o;
	struct err err;

	loop_remove(o->loop, &g->watch);
	g->deal = (struct deal){.id = o->id, .uid = sack_user(&o->auth)};
	if (o->refusal)
		say(g, o->refusal);
	else if (deal_take(&g->deal, DEAL_ASKS, asked(g), &err) == 0)
		g->call = sack_verify(g->giver->sack, asked(g), on_verified, g);
	if (!g->call)
		g->over(g->arg);
}

/* --- the question --- */

bool giver_is_asked(int fd)
{
	char found[ASKER_MARK];

	return recv(fd, found, sizeof(found), MSG_PEEK) == sizeof(found) &&
	       !memcmp(found, asker_question, sizeof(found));
}

/* How many bytes have to be there; 0: it is nonsense. */
static size_t needed(const struct giving *g)
{
	uint32_t n;

	if (g->nin < HEAD)
		return HEAD;
	n = sack_words_number((const unsigned char *)g->in + ASKER_MARK);
	return n && n < SACK_TOKEN_MAX ? HEAD + n : 0;
}

static void on_ready(void *arg, uint32_t events)
{
	struct giving *g = arg;
	ssize_t n = recv(g->watch.fd, g->in + g->nin, needed(g) - g->nin, 0);

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	g->nin += n > 0 ? (size_t)n : 0;
	if (n <= 0 || !needed(g))
		g->over(g->arg);
	else if (g->nin == needed(g))
		look(g);
}

struct giving *giving_begin(struct giver *giver, int fd,
			    void (*over)(void *arg), void *arg)
{
	struct giving *g = calloc(1, sizeof(*g));
	struct err err;

	if (!g)
		return NULL;
	g->giver = giver;
	g->over = over;
	g->arg = arg;
	g->watch = (struct loop_watch){.fd = fd, .ready = on_ready, .arg = g};
	if (loop_watch(giver->o.loop, &g->watch, EPOLLIN, &err) == 0)
		return g;
	giving_close(g);
	return NULL;
}

void giving_close(struct giving *g)
{
	if (!g)
		return;
	loop_remove(g->giver->o.loop, &g->watch);
	sack_cancel(g->call);
	explicit_bzero(g, sizeof(*g));
	free(g);
}

struct giver *giver_open(const struct giver_options *options, struct err *err)
{
	struct giver *giver = calloc(1, sizeof(*giver));

	if (!giver)
		return err_memory_null(err);
	giver->o = *options;
	giver->sack = sack_open(options->loop, &options->auth, err);
	if (giver->sack)
		return giver;
	free(giver);
	return NULL;
}

void giver_close(struct giver *giver)
{
	if (!giver)
		return;
	sack_close(giver->sack);
	explicit_bzero(giver, sizeof(*giver));
	free(giver);
}
