/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a step's secret gets from one process of its user to another by tokens
 * that are signed and not sealed (sack_words.h). Pure: texts in, texts out.
 *
 *	who asks	a token over "ask", the step and a fresh key
 *	who has it	one over "give", the step and a key of its own; and the
 *			secret, sealed by a key of both keys (X25519) and both
 *			tokens
 *
 * Each looks whether the other one's token is of its own user, for this
 * step and this life of its job, and for this side. So a token that
 * somebody else has had made, that is of another step or an older life, or
 * that a peer sends back, is none; one that was seen on the network and is
 * shown again gives nothing, for who shows it hasn't its key; what was
 * sealed for one question opens with no other one's key; and who stands
 * between the two can pass on what they say and not read it. So one token
 * of who has the secret does for many who ask.
 */
#pragma once

#include "core/base/err.h"
#include "core/facts/handover.h"
#include "helpers/auth/sack_words.h"

#include <sys/types.h>

#define DEAL_KEY 32

/* One side of one deal. */
struct deal {
	const char *id; /* "JOB.STEP.REQUEUE"; borrowed */
	uid_t uid;	/* the user of both */
	unsigned char public_key[DEAL_KEY], own_key[DEAL_KEY];
	unsigned char peer_key[DEAL_KEY];
};

/* Draw a key. Returns 0, or -1: no random bytes, or Slurm's daemons have that
 * uid: a token that they would take for one of their own is never made. */
int deal_begin(struct deal *deal, const char *id, uid_t uid, uid_t slurm_user,
	       struct err *err);

enum deal_side { DEAL_ASKS, DEAL_GIVES };

/* What is to be in the token of that side, which is ours. */
void deal_payload(const struct deal *deal, enum deal_side side,
		  char ret[SACK_PAYLOAD_MAX]);

/* Look at the token of that side, which is the other one, and take its key; its
 * signature is another matter. Returns 0 or -1. */
int deal_take(struct deal *deal, enum deal_side side, const char *token,
	      struct err *err);

#define DEAL_SEALED (SECRET_SIZE + 16) /* bytes of the secret, sealed */
#define DEAL_HEX    (2 * DEAL_SEALED + 1)

/* Both tokens are known, and good. Returns 0 or -1. */
int deal_seal(const struct deal *deal, const char *asked, const char *given,
	      const unsigned char secret[SECRET_SIZE], char ret[DEAL_HEX]);
int deal_unseal(const struct deal *deal, const char *asked, const char *given,
		const char *sealed, unsigned char ret[SECRET_SIZE]);
