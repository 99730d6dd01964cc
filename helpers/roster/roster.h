/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: which nodes of a step are here, lost or condemned, which have a
 * place, and what follows from a loss by the ladder on-node-loss
 * (doc/design/helpers-roster.md). Bookkeeping alone: no clock, no connection,
 * no message; the arbiter asks it and acts.
 *
 * Nodes are numbers, their positions in SLURM_STEP_NODELIST.
 */
#pragma once

#include "core/base/err.h"
#include "core/facts/places.h"
#include "core/option/ladder.h"

#include <stdbool.h>

enum roster_state {
	NODE_AWAITED, /* it may still come */
	NODE_HERE,    /* it can run processes, or does */
	NODE_AWAY,    /* lost; it may come back */
	NODE_OUT,     /* it never gets a place again */
};

struct roster_node {
	enum roster_state state;
	bool lost; /* since the round began: its processes are gone */
	char *why; /* after its name; NULL: "is lost" */
};

struct roster {
	unsigned nnodes;
	const char *names; /* SLURM_STEP_NODELIST, or NULL; borrowed */
	struct ladder ladder;
	struct roster_node *node; /* by number */
	struct places places;	  /* of this round */
	unsigned *domain;	  /* the block of each node, by number; NULL:
				     not known */
};

/* What follows from the losses since the round began. */
enum roster_answer {
	ROSTER_SAME, /* nobody who has a place is lost */
	ROSTER_PLACES,
	ROSTER_REQUEUE, /* the step ends, and the job is requeued */
	ROSTER_FAIL,
};

struct roster_options {
	unsigned nnodes, nspares;
	const char *names;
	const char *order; /* of the nodes (core/facts/places.c), or NULL */
	const struct ladder *ladder;
};

/* All nodes are awaited, the places are those of round 0. Returns 0 or -1
 * (memory, no node is left for the world, `order` is none). roster_close()
 * afterwards. */
int roster_open(const struct roster_options *options, struct roster *ret,
		struct err *err);

/* It is here, and nothing of an earlier round runs on it. One that is out stays
 * out. */
void roster_come(struct roster *roster, unsigned node);

/* It is gone. */
void roster_lose(struct roster *roster, unsigned node);

/* It has ended its processes, for it hears nobody; it is lost soon, or comes
 * back. Returns whether that is new, and its ranks would have a place without
 * it; else nothing changes. */
bool roster_fence(struct roster *roster, unsigned node);

/* It may run no processes; `why` is a text that begins after its name. */
void roster_condemn(struct roster *roster, unsigned node, const char *why);

/* Who is awaited is gone. Returns how many nodes that are. */
unsigned roster_wait_no_more(struct roster *roster);

/* A node that can't go on in its place: it has been lost since the round began,
 * even if it is back, or may not run processes. */
bool roster_is_lost(const struct roster *roster, unsigned node);

/* Nodes that are here and have no place. */
unsigned roster_count_spares(const struct roster *roster);

/* What follows from the losses so far. With ROSTER_SAME and ROSTER_PLACES *ret
 * is set, the caller's to clear, or to give to roster_take(). Out of memory is
 * ROSTER_FAIL. */
enum roster_answer roster_decide(const struct roster *roster,
				 struct places *ret);

/* Say that to the user: a line for each node that has lost its place, the
 * `round` begins with `places` (NULL: none begins). Before roster_take(). */
#define ROSTER_LINE_SIZE 1024
void roster_say(const struct roster *roster, enum roster_answer answer,
		const struct places *places, unsigned round,
		void (*say)(void *arg, const char *line), void *arg);

/* The round begins with these places; they are the roster's from now on. */
void roster_take(struct roster *roster, struct places *places);

/* Its name, or "node number N". Returns `buf`. */
#define ROSTER_NAME_SIZE 272
const char *roster_name(const struct roster *roster, unsigned node,
			char buf[ROSTER_NAME_SIZE]);

void roster_close(struct roster *roster);
