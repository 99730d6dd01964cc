/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long the arbiter waits before it starts the step's processes again, so
 * that a program that fails at once doesn't load the nodes. For arbiter.c.
 */
#ifndef DT_HELPERS_CHANNEL_RESTART_PAUSE_H
#define DT_HELPERS_CHANNEL_RESTART_PAUSE_H

#include <stdint.h>

#define PAUSE_FIRST_MS 100
#define PAUSE_MAX_MS   10000
#define LIVED_MS       60000 /* a round that lived so long did well */

struct restart_pause {
	uint64_t began_ms; /* when the round began */
	unsigned next_ms;  /* 0: none so far */
};

/* A round's processes may run from now on. */
void restart_pause_begin(struct restart_pause *pause, uint64_t now_ms);

/* The round has failed: the pause before the next one, in milliseconds. It
 * doubles from round to round, and is short again after one that lived. */
unsigned restart_pause_next(struct restart_pause *pause, uint64_t now_ms);

#endif
