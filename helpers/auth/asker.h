/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How two processes of a user on two hosts know that they are of the same user:
 * by a MUNGE credential, which only the user can open, so that a secret can be
 * in it (munge.h); or by tokens of Slurm's own (sack.h, sack_words.h), which
 * are signed, not sealed, so that two with keys in them are dealt (deal.h).
 *
 * This is the side that asks for a step's secret, whoever is the cluster's
 * issuer (core/facts/auth.h); giver.h is the one that has it. The
 * questions are helpers/conn/question.h's; what an answer is worth is told
 * here.
 */
#pragma once

#include "core/base/err.h"
#include "core/facts/auth.h"
#include "helpers/auth/sack_words.h"
#include "sys/loop.h"

struct asker;
struct asking;

struct asker_options {
	struct loop *loop;
	struct auth auth;
	const char *id; /* of the step, "JOB.STEP.REQUEUE"; borrowed */
};

struct asker *asker_open(const struct asker_options *options, struct err *err);

/* NULL is allowed. No question may be open. */
void asker_close(struct asker *asker);

/* What an answer was worth, in the call that tells it: 0 and the secret, or -1
 * and why it was none. With MUNGE it blocks, some seconds at most. */
int asker_open_answer(struct asker *asker, const char *answer,
		      unsigned char ret[SECRET_SIZE], struct err *err);

/* Why this host can't ask; NULL: nothing is known against it. */
const char *asker_fault(const struct asker *asker);

/* --- for helpers/conn/question.c: tokens --- */

/* Whether questions have a token, and their answers another one. */
bool asker_has_tokens(const struct asker *asker);

/* A token for one question, once: or NULL, and asker_fault() says why. NULL:
 * out of memory. */
struct asking *asking_begin(struct asker *asker,
			    void (*made)(void *arg, const char *token),
			    void *arg);

/* Look at the answer; `looked` is called when asker_open_answer() knows. */
void asking_look(struct asking *asking, const char *answer,
		 void (*looked)(void *arg));

/* NULL is allowed. */
void asking_close(struct asking *asking);

/* A question is these bytes, SACK_ANSWER bytes of a number, the highest first,
 * and so many of a token. An answer is a line: these, the token, a blank, what
 * is sealed in hexadecimal. */
#define ASKER_MARK 32
extern const char asker_question[ASKER_MARK];
extern const char asker_given[];
