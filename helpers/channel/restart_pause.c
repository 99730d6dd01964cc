/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/channel/restart_pause.h"

void restart_pause_begin(struct restart_pause *pause, uint64_t now_ms)
{
	pause->began_ms = now_ms;
}

unsigned restart_pause_next(struct restart_pause *pause, uint64_t now_ms)
{
	if (!pause->next_ms || now_ms >= pause->began_ms + LIVED_MS)
		pause->next_ms = PAUSE_FIRST_MS;
	else if (pause->next_ms < PAUSE_MAX_MS / 2)
		pause->next_ms *= 2;
	else
		pause->next_ms = PAUSE_MAX_MS;
	return pause->next_ms;
}
