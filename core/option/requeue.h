/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The key requeue: for which reasons a job whose step has ended is to be queued
 * again, "time-limit+preemption". Pure words;
 * doc/design/spank-ending.md.
 */
#ifndef DT_CORE_OPTION_REQUEUE_H
#define DT_CORE_OPTION_REQUEUE_H

#include "core/base/err.h"
#include "core/option/option.h"

/* A process that ends with it wants no other life for its job, whatever the key
 * says (nvidia-resiliency-ext's convention). */
#define REQUEUE_NEVER_CODE 93

/* Why a step has ended, as a set of bits. */
enum requeue_cause {
	REQUEUE_TIME_LIMIT = 1,
	REQUEUE_PREEMPTION = 2,
	REQUEUE_NODE_LOSS = 4,
	REQUEUE_FAILURE = 8,
};

/* Read the text of the key; "none" isn't one. Returns the set of causes, or
 * -1. */
int requeue_parse(const char *text, struct err *err);

/* What the request asks for; 0: nothing. */
unsigned requeue_of(const struct request *request);

/* The key's word for a cause: "time-limit". */
const char *requeue_word(enum requeue_cause cause);

#endif
