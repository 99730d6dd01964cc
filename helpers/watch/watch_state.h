/* SPDX-License-Identifier: Apache-2.0 */
/* The room inside. */
#ifndef DT_HELPERS_WATCH_WATCH_STATE_H
#define DT_HELPERS_WATCH_WATCH_STATE_H

#include "core/option/key_forms.h"
#include "helpers/part/launch_view.h"
#include "helpers/watch/watch.h"
#include "sys/loop.h"
#include "sys/subprocess.h"

#include <stdbool.h>

/* A rank of this launcher, or what has its number: torchrun, a shell. */
struct watched {
	unsigned index;	   /* of the procs */
	uint64_t moved_ms; /* its last sign of work */
	bool busy;	   /* one of its processes uses CPU */
	unsigned nprocs;
};

struct watch {
	struct launch_view *v;
	struct hang hang;
	struct loop_timer timer;
	uint64_t interval_ms;
	struct subprocess child; /* that looks at the ranks; or 0 */
	size_t ntext;
	char text[16384]; /* its rows that have come in part */
	struct watched *rank;
	unsigned n;
	bool told_quiet, told_gone;
	uint64_t told_ms; /* since when, as was told */
};

#endif
