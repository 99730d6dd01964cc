/* SPDX-License-Identifier: Apache-2.0 */
/* The sight "status": what the kernel says of each rank's process, and how far
 * it is as it says itself. */
#include "helpers/look/look_state.h"

#include "core/base/cleanup.h"
#include "core/facts/rows.h"
#include "helpers/launch/launch.h"
#include "helpers/metrics/metrics.h"

#include <stdio.h>

static void tell_rank(FILE *f, const struct proc *w)
{
	uint64_t until = w->ended ? w->ended_ms : loop_now_ms();

	row_begin(f, "rank");
	row_number(f, w->process.rank);
	row_number(f, w->pid);
	row_number(f, (long long)(until - w->started_ms));
	row_end(f);
}

void status_begin(struct sight *sight, const char *words)
{
	const struct procs *procs = &sight_launch(sight)->procs;
	cleanup_free char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	(void)words;
	if (!f) {
		sight_tell(sight, "");
		return;
	}
	for (unsigned i = 0; i < procs->n; i++)
		if (procs->proc[i].pid > 0 && !procs->proc[i].process.added)
			tell_rank(f, &procs->proc[i]);
	metrics_tell(sight_launch(sight)->metrics, f);
	sight_tell(sight, fclose(f) == 0 ? text : "");
}
