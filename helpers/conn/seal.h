/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two processes that share a secret talk so that nobody else can read, forge,
 * replay or reorder what they say. Pure: bytes in, bytes out (libsodium:
 * BLAKE2b for the keys, secretstream XChaCha20-Poly1305 for the records).
 *
 * Each side sends a fresh random salt in clear; the keys of both directions
 * come from the secret, the step's id, the port of the side that listens, and
 * both salts, so that a recording of one connection is of no use in another,
 * and nobody who listens at another port can stand between the two.
 */
#pragma once

#include "core/facts/handover.h"

#include <sodium.h>
#include <stdbool.h>
#include <stddef.h>

#define SEAL_SALT   32
#define SEAL_HEADER crypto_secretstream_xchacha20poly1305_HEADERBYTES
#define SEAL_GROWTH crypto_secretstream_xchacha20poly1305_ABYTES

struct seal {
	unsigned char salt[SEAL_SALT]; /* ours */
	crypto_secretstream_xchacha20poly1305_state tx, rx;
	unsigned char rx_key[32];
};

/* Draw our salt. Returns 0, or -1 when there are no random bytes. */
int seal_begin(struct seal *s);

/* Make the keys, when the other side's salt is known: both sides must have the
 * same secret, id and port. `connects` is true on exactly one side. The header
 * is to be sent before the first record. */
void seal_agree(struct seal *s, const unsigned char secret[SECRET_SIZE],
		const char *id, unsigned port, bool connects,
		const unsigned char peer_salt[SEAL_SALT],
		unsigned char ret_header[SEAL_HEADER]);

/* The other side's header has come. Returns 0 or -1. */
int seal_start(struct seal *s, const unsigned char header[SEAL_HEADER]);

/* Seal n bytes into n + SEAL_GROWTH. `last`: the message ends here. */
void seal_wrap(struct seal *s, const void *plain, size_t n, bool last,
	       unsigned char *ret);

/* Open a record of n bytes into n - SEAL_GROWTH elsewhere. Returns 0, or -1
 * when it isn't what the other side sealed next. */
int seal_unwrap(struct seal *s, const unsigned char *sealed, size_t n,
		void *ret, bool *ret_last);

/* A word of letters and digits for one purpose of a step, made of its secret;
 * NULL: one that nobody else can make. Returns 0, or -1 when there are no
 * random bytes. */
#define SEAL_WORD_SIZE 33
int seal_word(const unsigned char secret[SECRET_SIZE], const char *id,
	      const char *purpose, char ret[SEAL_WORD_SIZE]);
