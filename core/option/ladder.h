/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ladder of the key on-node-loss: what happens when a node is lost, tried
 * in this order, "replace+shrink:4+requeue". Pure words; core/plan/resolve.h
 * has the ladder of a step, core/plan/recovery.h what a step refuses.
 */
#pragma once

#include "core/base/err.h"
#include "core/option/option.h"

#include <stdbool.h>
#include <stdint.h>

enum ladder_word {
	LADDER_REPLACE, /* a spare takes the lost node's place */
	LADDER_SHRINK,	/* the world gets smaller, by whole nodes */
	LADDER_REQUEUE, /* the step ends, Slurm requeues its job */
	LADDER_FAIL,	/* the step ends */
	LADDER_MAX,
};

struct ladder {
	struct {
		enum ladder_word what;
		unsigned min; /* LADDER_SHRINK: the fewest nodes */
	} rung[LADDER_MAX];
	unsigned n;
};

/* Read the text of the key; "auto" isn't one. Each word may come once, and
 * nothing may follow `fail`, nor anything but `fail` follow `requeue`. */
int ladder_parse(const char *text, struct ladder *ret, struct err *err);

/* What the request comes to: `auto` is replace+fail where the step has spares,
 * else fail. A ladder without an end of its own ends with fail, with
 * requeue=node-loss by way of requeue. */
void ladder_of(const struct request *request, struct ladder *ret);

/* Whether it has this word. */
bool ladder_has(const struct ladder *ladder, enum ladder_word word);

/* "replace+shrink:4+fail". Returns `buf`. */
#define LADDER_SIZE 64
const char *ladder_text(const struct ladder *ladder, char buf[LADDER_SIZE]);

/* Who waits how long in a step that outlives a lost node, from the key `lease`
 * (doc/design/helpers-server.md), for launchers and srun: who may be given up
 * fences himself first. */

/* Between two beats: lease/8, at least half a second. */
uint64_t recovery_interval_ms(long lease_s);

/* Who has heard nothing for so long ends what it does: three quarters of the
 * lease, or less, so that one interval and a second more is still less than
 * the lease. Above two intervals for each `lease` that the key takes. */
uint64_t recovery_fence_ms(long lease_s);

/* Who has been silent for so long counts as lost. */
uint64_t recovery_lease_ms(long lease_s);
