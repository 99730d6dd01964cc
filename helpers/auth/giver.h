/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The side that has a step's secret, and gives it by tokens (deal.h) to who
 * asks with one: any number side by side, none of them blocks.
 *
 * What it costs: a token is read here before Slurm's daemon is asked about it,
 * so that one that says it is another's, or for another step, costs nothing
 * more; a forged one costs a question to the daemon, which writes a line about
 * it into its log.
 */
#pragma once

#include "core/base/err.h"
#include "core/facts/auth.h"
#include "sys/loop.h"

struct giver;
struct giving;

struct giver_options {
	struct loop *loop;
	struct auth auth; /* by_slurm */
	const char *id;	  /* of the step, "JOB.STEP.REQUEUE"; borrowed */
	const unsigned char *secret; /* SECRET_SIZE bytes; borrowed */
	/* A line that is said instead (helpers/conn/question.h); NULL: none */
	const char *refusal;
};

struct giver *giver_open(const struct giver_options *options, struct err *err);

/* NULL is allowed. Nothing may be given any more. */
void giver_close(struct giver *giver);

/* Whether a question of that kind waits to be read from the socket. */
bool giver_is_asked(int fd);

/* Read and answer it; the socket remains the caller's, who closes it when
 * `over` is called: it is answered, or not worth an answer. NULL: out of
 * memory. */
struct giving *giving_begin(struct giver *giver, int fd,
			    void (*over)(void *arg), void *arg);

/* NULL is allowed. */
void giving_close(struct giving *giving);
