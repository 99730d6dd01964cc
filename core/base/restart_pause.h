/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long to wait before processes are started again, so that a program that
 * fails at once doesn't load the nodes: those of a step (helpers/arbiter), or
 * of a world of one with roles.
 */
#pragma once

#include <stdint.h>

#define PAUSE_FIRST_MS 100
#define PAUSE_MAX_MS   10000
#define LIVED_MS       60000 /* a round that lived so long did well */

struct restart_pause {
	uint64_t began_ms; /* when the round began */
	unsigned next_ms;  /* 0: none so far */
};

/* The round has failed: the pause before the next one. It doubles from round to
 * round, and is short again after one that lived. */
static inline unsigned restart_pause_next(struct restart_pause *pause,
					  uint64_t now_ms)
{
	if (!pause->next_ms || now_ms >= pause->began_ms + LIVED_MS)
		pause->next_ms = PAUSE_FIRST_MS;
	else if (pause->next_ms < PAUSE_MAX_MS / 2)
		pause->next_ms *= 2;
	else
		pause->next_ms = PAUSE_MAX_MS;
	return pause->next_ms;
}
