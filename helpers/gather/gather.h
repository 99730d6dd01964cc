/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exchange that the launchers of a step have once: each tells one piece,
 * and all get all of them. As a message (MSG_GATHER, MSG_GATHERED) a piece is
 * its folder, a NUL, and its data.
 */
#pragma once

#include <sodium.h>
#include <stdbool.h>
#include <stddef.h>

#define GATHER_MAX (200UL << 20) /* bytes of all pieces */

struct gather_piece {
	const char *folder; /* of task 0's files; "" from all others */
	const char *data;   /* any text; of all: in the order of PROCID */
	size_t n;	    /* its length; 0: it only says that it is here */
};

/* The piece as a message, for the caller to free; NULL when out of memory. */
char *gather_text(const struct gather_piece *piece, size_t *ret_n);

/* The fields of a message of n bytes and a NUL, in which they lie. Returns 0,
 * or -1 when it isn't one. */
int gather_parse(const char *text, size_t n, struct gather_piece *ret);

struct gather;

/* For n members; NULL when out of memory. */
struct gather *gather_new(unsigned n);
void gather_free(struct gather *gather);

/* Keep the message of a member; a second one is ignored, and so is nonsense.
 * Returns 1 when it was the last that was missing, 0, or -1 when there is no
 * room. */
int gather_add(struct gather *gather, unsigned member, const char *text,
	       size_t n);

/* Whether the member has told its piece. */
bool gather_has(const struct gather *gather, unsigned member);

/* All pieces that are there as one message, for the caller to free. NULL when
 * out of memory. */
char *gather_copy(const struct gather *gather, size_t *ret_n);

/* All pieces as one message, for the caller to free; they are forgotten. NULL
 * when out of memory. */
char *gather_join(struct gather *gather, size_t *ret_n);

/* What tells one text from all others (BLAKE2b), in hexadecimal digits. */

#define DIGEST_BYTES 32
#define DIGEST_SIZE  (2 * DIGEST_BYTES + 1)

static inline void digest_make(const char *text, size_t n,
			       char ret[DIGEST_SIZE])
{
	unsigned char bytes[DIGEST_BYTES];

	crypto_generichash(bytes, sizeof(bytes), (const unsigned char *)text, n,
			   NULL, 0);
	sodium_bin2hex(ret, DIGEST_SIZE, bytes, sizeof(bytes));
}
