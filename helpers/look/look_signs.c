/* SPDX-License-Identifier: Apache-2.0 */
/* What is at hand: the sight "signs", what each rank does, of who looks for
 * hangs, and "pace", what ranks report. */
#include "helpers/look/look_state.h"

#include "helpers/metrics/metrics.h"
#include "helpers/watch/watch.h"

void signs_begin(struct sight *sight, const char *words)
{
	cleanup_free char *rows = watch_rows(sight_view(sight));

	(void)words;
	sight_tell(sight, rows ? rows : "");
}

void pace_begin(struct sight *sight, const char *words)
{
	cleanup_free char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	(void)words;
	if (f)
		metrics_tell(sight_view(sight)->metrics, f);
	sight_tell(sight, f && fclose(f) == 0 ? text : "");
}
