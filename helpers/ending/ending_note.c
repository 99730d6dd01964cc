/* SPDX-License-Identifier: Apache-2.0 */
/* What the step's records say of a signal that ends it. */
#include "helpers/ending/ending.h"

#include "core/base/parse.h"
#include "helpers/part/launch_view.h"
#include "helpers/part/note.h"
#include "sys/epoch.h"

#include <stdio.h>
#include <stdlib.h>

/* Slurm looks every half minute whose time is over. */
#define LIMIT_EARLY_S 5
#define LIMIT_LATE_S  120

/* When the time is over is known where srun, or Slurm since 23.02, says it. */
void ending_note(struct launch *l, int sig)
{
	const char *start = getenv("SLURM_JOB_START_TIME");
	int64_t end = launch_view(l)->step->end_time,
		over = epoch_ms() / 1000 - end;
	char more[96];
	int n = snprintf(more, sizeof(more), ",\"signal\":%d", sig);
	long at;

	if (end && over >= -LIMIT_EARLY_S && over <= LIMIT_LATE_S)
		snprintf(more + n, sizeof(more) - (size_t)n,
			 ",\"limit_s\":%lld",
			 start && parse_number(start, 0, end, &at) == 0
				 ? (long long)end - at
				 : 0);
	note_mark(l, launch_view(l)->job->round, MARK_STOPPED, NULL, more);
}
