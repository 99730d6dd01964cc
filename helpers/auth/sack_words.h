/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is said at the socket of Slurm's own authentication (its name there is
 * SACK), and what a token of it says. Pure: bytes in, bytes out. Requests are
 * the same in all releases that have the socket, from 23.11 on:
 *
 *	2 bytes of a version, which isn't looked at
 *	4 bytes: how many bytes follow, these included
 *	4 bytes: what is asked for; and what that takes
 *
 * A token is a JSON web token that the daemon has signed: three texts in base64
 * with dots between them. Only the daemon can tell whether the signature is
 * good; what the token says can be read by anybody.
 */
#pragma once

#include "core/base/err.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SACK_TOKEN_MAX	 6144 /* with its NUL; who is in many groups has 2 kB */
#define SACK_PAYLOAD_MAX 512  /* of ours, with a NUL */
#define SACK_REQUEST_MAX (SACK_TOKEN_MAX + 32)

/* Bytes of the answer to "verify": four zeros, or the socket is closed. To
 * "create" so many tell how long the token is, with its NUL. */
#define SACK_ANSWER 4

/* Ask for a token of the caller that only `reader` may verify. Returns the
 * number of bytes in ret. */
size_t sack_words_create(uid_t reader, const char *payload,
			 unsigned char ret[SACK_REQUEST_MAX]);

/* Ask whether a token, of less than SACK_TOKEN_MAX bytes, is good. */
size_t sack_words_verify(const char *token,
			 unsigned char ret[SACK_REQUEST_MAX]);

/* A number as it is sent. */
uint32_t sack_words_number(const unsigned char bytes[SACK_ANSWER]);

/* What a token says. */
struct sack_claims {
	uid_t uid;	       /* who has had it made */
	uid_t reader;	       /* who may verify it */
	int64_t made_s, end_s; /* when it was made, and when it expires */
	char payload[SACK_PAYLOAD_MAX]; /* a text */
};

/* Returns 0, or -1: it is none that a user gets from the socket, or says too
 * much. */
int sack_words_read(const char *token, struct sack_claims *ret,
		    struct err *err);
