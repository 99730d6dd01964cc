/* SPDX-License-Identifier: Apache-2.0 */
/* The sight "signs": what each rank does, of who looks for hangs. */
#include "helpers/look/look_state.h"

#include "core/base/cleanup.h"
#include "helpers/watch/watch.h"

void signs_begin(struct sight *sight, const char *words)
{
	cleanup_free char *rows = watch_rows(sight_view(sight)->watch);

	(void)words;
	sight_tell(sight, rows ? rows : "");
}
