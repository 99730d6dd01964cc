/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Since when no rank of the step works, and when that is a reason to look at
 * their stacks. Pure: of the controller, which tells it what launchers
 * tell, with the time of its own clock.
 *
 * What is normal in the step is learned: a gap from which it has come back by
 * itself makes the next one wait for half as long again, at least.
 */
#pragma once

#include "core/base/err.h"
#include "helpers/conn/message.h"

#include <stdbool.h>
#include <stdint.h>

#define HANG_NEVER UINT64_MAX

struct hang_clock {
	uint64_t limit_ms; /* the key's */
	uint64_t gap_ms;   /* the longest that the step has come back from */
	uint64_t from_ms;  /* nothing before counts: a look has shown that
			      somebody works */
	bool starting;	   /* the step's start was seen in a look: twice the
			      limit, once */
	bool known;	   /* this hang was found: nothing is due until somebody
			      works again */
	unsigned n;
	struct {
		enum quiet_state state;
		uint64_t since_ms;
	} * member;
};

/* For n launchers. Returns 0 or -1. */
int hang_clock_open(struct hang_clock *clock, unsigned n, uint64_t limit_ms,
		    struct err *err);
void hang_clock_close(struct hang_clock *clock);

/* A launcher tells; RANKS_QUIET for `ms` already. */
void hang_clock_note(struct hang_clock *clock, unsigned member,
		     enum quiet_state state, uint64_t ms, uint64_t now_ms);

/* Since when all are quiet; HANG_NEVER: they aren't, or nobody is watched. */
uint64_t hang_clock_since(const struct hang_clock *clock);

/* When their stacks are to be looked at; HANG_NEVER: nothing is due. */
uint64_t hang_clock_due(const struct hang_clock *clock);

/* A look has shown that somebody works, or that the step only starts. */
void hang_clock_works(struct hang_clock *clock, uint64_t now_ms);
void hang_clock_starts(struct hang_clock *clock);
