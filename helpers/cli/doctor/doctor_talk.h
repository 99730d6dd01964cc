/* SPDX-License-Identifier: Apache-2.0 */
/*
 * On the host: the talk with the nodes (host.c), as those who ask in it see it.
 */
#ifndef DT_HELPERS_CLI_DOCTOR_DOCTOR_TALK_H
#define DT_HELPERS_CLI_DOCTOR_DOCTOR_TALK_H

#include "helpers/judge/findings.h"

#include <stdint.h>

struct talk;

/* Facts of this key are counted from now on. */
void talk_want(struct talk *talk, const char *key);

/* A line to all nodes; lost when they don't read any more. */
void talk_say(struct talk *talk, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Until n facts of the key have come, at most so long. */
void talk_wait(struct talk *talk, unsigned n, uint64_t limit_ms);

/* Let all nodes of the doctor measure in pairs (host_pairs.c). What comes of it
 * are facts: "pair ROUND OTHER RATE", once for each pair, and "pair-verdict
 * LEVEL TEXT" of each node; where a node isn't there only that they weren't
 * measured. */
void doctor_ask_pairs(struct talk *talk, struct doctor *doctor);

#endif
