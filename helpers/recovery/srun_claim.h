/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A launcher's claim to be the centre of its step, and its line to srun, which
 * grants that to one launcher at a time (core/facts/handover.h,
 * doc/design/0080-lost-nodes.md). The office lasts as long as srun has answered
 * a beat that isn't older than the fence time; the clock decides, not what has
 * been read, so that a launcher that was stopped isn't centre when it wakes.
 */
#ifndef DT_HELPERS_RECOVERY_SRUN_CLAIM_H
#define DT_HELPERS_RECOVERY_SRUN_CLAIM_H

#include "core/facts/handover.h"
#include "sys/loop.h"

#define SRUN_CLAIM	 "C"
#define SRUN_GRANTED	 "G"
#define SRUN_BEAT	 "h"
#define SRUN_ROUND	 "r"
#define SRUN_NUMBER_SIZE 4

#define CLAIM_BEATS 64 /* that may wait for an answer */

struct srun_claim_options {
	struct loop *loop;
	const char *ip; /* borrowed */
	unsigned port;
	long lease_s;
	unsigned procid;
	bool was_there; /* srun has granted the office before, to whomever */
	bool looks;	/* claim nothing: only see whether srun is gone */
	const unsigned char *token; /* TOKEN_SIZE bytes; borrowed */
	/* This launcher is the centre from now on, with that term. */
	void (*granted)(void *arg, unsigned term);
	/* As the centre: the job ends at another time (seconds since the
	 * epoch; 0: never). NULL: it isn't heard. */
	void (*end_time)(void *arg, int64_t seconds);
	/* srun has been there, and has ended. Nothing more is called. */
	void (*gone)(void *arg);
	/* Called once: srun doesn't answer. The claim goes on trying. */
	void (*unreachable)(void *arg);
	void *arg; /* for these four */
};

struct srun_claim {
	struct srun_claim_options o;
	bool open;
	bool told; /* the step is over */
	/* of this line */
	struct loop_watch watch;
	bool sent;    /* the claim */
	bool granted; /* on this line */
	uint64_t since_ms, ok_ms;
	uint64_t sent_ms[CLAIM_BEATS];
	unsigned nsent, nanswered;
	unsigned char in[1 + 2 * SRUN_NUMBER_SIZE]; /* or SRUN_END_SIZE */
	unsigned nin;
	/* of all lines */
	bool there; /* srun has answered */
	unsigned tries;
	unsigned term;	  /* 0: never granted */
	unsigned round;	  /* no centre before has begun a later one */
	uint64_t held_ms; /* the office lasts from then for the fence time */
	struct loop_timer retry, beat;
};

/* Claim; callbacks come later. Called again while it is open: nothing. */
void srun_claim_open(struct srun_claim *claim,
		     const struct srun_claim_options *options);

/* Whether srun may not yet have given the office to another one. */
bool srun_claim_is_held(const struct srun_claim *claim);

/* Whether it isn't known yet if srun grants it, or can't be reached. */
bool srun_claim_is_undecided(const struct srun_claim *claim);

/* Whether srun has answered for so long without granting it. */
bool srun_claim_is_refused(const struct srun_claim *claim, uint64_t ms);

/* Another round may follow: tell it, and a beat now, besides those in turn:
 * held_ms shows when it is answered. */
void srun_claim_ask(struct srun_claim *claim);

/* The step is over: one of SRUN_ALL_WELL and the like. */
void srun_claim_tell(struct srun_claim *claim, const char *word);

/* Before that: SRUN_TOLD, or SRUN_OUTCOME and its byte. */
void srun_claim_say(struct srun_claim *claim, const char *text, size_t n);

/* Give the office, or the claim, back. As {0} before the first
 * srun_claim_open(), too. */
void srun_claim_close(struct srun_claim *claim);

#endif
