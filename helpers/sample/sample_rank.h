/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sample of one rank, taken by a child of the launcher: it reads /proc,
 * runs a tool and waits for it. Called by sample.c alone.
 */
#ifndef DT_HELPERS_SAMPLE_SAMPLE_RANK_H
#define DT_HELPERS_SAMPLE_SAMPLE_RANK_H

#include "helpers/sample/sample_limits.h"
#include "helpers/sample/stop_undo.h"

#include <stdbool.h>
#include <stddef.h>

struct sample_work {
	struct sample_target target;
	bool native;
	long ms;		/* it ends by then */
	size_t rows_max;	/* bytes that it writes, at most */
	struct stop_undo *undo; /* in memory that both share */
};

/* For struct subprocess_spec: `arg` is a struct sample_work; the rows go to
 * fd[1]. */
int sample_rank(const int fd[2], const void *arg);

#endif
