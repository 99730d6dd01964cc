/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/auth/sack_words.h"

#include "sys/json_text.h"

#include <arpa/inet.h>
#include <limits.h>
#include <sodium.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Of the oldest release that has the socket, 23.11. */
#define VERSION 0x2800

enum { CREATE = 64001, VERIFY = 64002 };

/* Tokens of Slurm's own daemons and for other purposes have another word. */
#define CONTEXT "sack"

/* --- requests --- */

struct request {
	unsigned char *at;
	size_t n;
};

static void put_bytes(struct request *r, const void *bytes, size_t n)
{
	memcpy(r->at + r->n, bytes, n);
	r->n += n;
}

static void put_number(struct request *r, uint32_t number)
{
	uint32_t bytes = htonl(number);

	put_bytes(r, &bytes, sizeof(bytes));
}

/* `more`: bytes behind what is asked for */
static struct request begin(unsigned char *at, uint32_t what, size_t more)
{
	const uint16_t version = htons(VERSION);
	struct request r = {.at = at};

	put_bytes(&r, &version, sizeof(version));
	put_number(&r, (uint32_t)(2 * sizeof(uint32_t) + more));
	put_number(&r, what);
	return r;
}

size_t sack_words_create(uid_t reader, const char *payload,
			 unsigned char ret[SACK_REQUEST_MAX])
{
	size_t n = strnlen(payload, SACK_PAYLOAD_MAX - 1);
	struct request r = begin(ret, CREATE, 2 * sizeof(uint32_t) + n);

	put_number(&r, (uint32_t)reader);
	put_number(&r, (uint32_t)n);
	put_bytes(&r, payload, n);
	return r.n;
}

size_t sack_words_verify(const char *token, unsigned char ret[SACK_REQUEST_MAX])
{
	size_t n = strnlen(token, SACK_TOKEN_MAX - 1);
	struct request r = begin(ret, VERIFY, sizeof(uint32_t) + n + 1);

	put_number(&r, (uint32_t)n + 1);
	put_bytes(&r, token, n);
	put_bytes(&r, "", 1);
	return r.n;
}

uint32_t sack_words_number(const unsigned char bytes[SACK_ANSWER])
{
	uint32_t number;

	memcpy(&number, bytes, sizeof(number));
	return ntohl(number);
}

/* --- tokens --- */

/* What has been read; each may come once. */
struct found {
	long long uid, ruid, iat, exp;
	char context[sizeof(CONTEXT) + 1];
	char payload[2 * SACK_PAYLOAD_MAX]; /* in base64 */
};

static bool take_number(struct json_text *t, long long *ret)
{
	char *end;

	if (*ret >= 0 || json_text_next(t) < '0' || *t->at > '9')
		return false;
	*ret = strtoll(t->at, &end, 10);
	t->at = end;
	return *ret >= 0 && *ret != LLONG_MAX && *end != '.' && *end != 'e' &&
	       *end != 'E';
}

/* One that doesn't fit is cut, and then isn't what we want. */
static bool take_text(struct json_text *t, char *ret, size_t size)
{
	return !*ret && json_text_string(t, ret, size);
}

static bool take_claim(struct json_text *t, struct found *f)
{
	char key[16];

	if (!json_text_string(t, key, sizeof(key)) || !json_text_take(t, ':'))
		return false;
	if (!strcmp(key, "uid"))
		return take_number(t, &f->uid);
	if (!strcmp(key, "ruid"))
		return take_number(t, &f->ruid);
	if (!strcmp(key, "iat"))
		return take_number(t, &f->iat);
	if (!strcmp(key, "exp"))
		return take_number(t, &f->exp);
	if (!strcmp(key, "context"))
		return take_text(t, f->context, sizeof(f->context));
	if (!strcmp(key, "payload"))
		return take_text(t, f->payload, sizeof(f->payload));
	return json_text_skip(t);
}

static bool take_all(const char *text, struct found *f)
{
	struct json_text t = {.at = text};

	*f = (struct found){.uid = -1, .ruid = -1, .iat = -1, .exp = -1};
	if (!json_text_take(&t, '{'))
		return false;
	do {
		if (!take_claim(&t, f))
			return false;
	} while (json_text_take(&t, ','));
	return json_text_take(&t, '}') && !json_text_next(&t);
}

/* The middle one of the three texts, which is JSON. */
static bool decode(const char *token, char ret[SACK_TOKEN_MAX])
{
	const char *begin = strchr(token, '.');
	const char *end = begin ? strchr(begin + 1, '.') : NULL;
	size_t n;

	if (!end || strchr(end + 1, '.') ||
	    sodium_base642bin((unsigned char *)ret, SACK_TOKEN_MAX - 1,
			      begin + 1, (size_t)(end - begin - 1), NULL, &n,
			      NULL,
			      sodium_base64_VARIANT_URLSAFE_NO_PADDING) < 0)
		return false;
	ret[n] = '\0';
	return strlen(ret) == n;
}

static bool decode_payload(const struct found *f, struct sack_claims *ret)
{
	size_t n;

	if (sodium_base642bin((unsigned char *)ret->payload,
			      sizeof(ret->payload) - 1, f->payload,
			      strlen(f->payload), NULL, &n, NULL,
			      sodium_base64_VARIANT_ORIGINAL) < 0)
		return false;
	ret->payload[n] = '\0';
	return strlen(ret->payload) == n;
}

int sack_words_read(const char *token, struct sack_claims *ret, struct err *err)
{
	char text[SACK_TOKEN_MAX];
	struct found f;

	if (strlen(token) >= SACK_TOKEN_MAX || !decode(token, text) ||
	    !take_all(text, &f) || strcmp(f.context, CONTEXT) != 0 ||
	    f.uid < 0 || f.uid > UINT_MAX || f.ruid < 0 || f.ruid > UINT_MAX ||
	    f.iat < 0 || f.exp < 0 || !decode_payload(&f, ret))
		return err_printf(err, "it is no token that a user gets from "
				       "Slurm's authentication");
	ret->uid = (uid_t)f.uid;
	ret->reader = (uid_t)f.ruid;
	ret->made_s = f.iat;
	ret->end_s = f.exp;
	return 0;
}
