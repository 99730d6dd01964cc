/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes of one world as output.c has them: their labels, log files and
 * last lines. Streams of an older world may be read as long as somebody holds
 * them open, so that it stays to the end.
 */
#ifndef DT_HELPERS_OUTPUT_OUTPUT_RANKS_H
#define DT_HELPERS_OUTPUT_OUTPUT_RANKS_H

#include "core/base/err.h"
#include "core/plan/plan.h"
#include "core/plan/service.h"
#include "helpers/output/io_thread.h"

struct output_ranks {
	unsigned n, first, world_size;
	unsigned nranks; /* number of processes; the last stream may be a
			    service's */
	char service[SERVICE_NAME_SIZE];
	struct log_files logs; /* two per process; none without log-dir */
	bool *tee;	       /* with log-dir: also to the terminal */
	struct last_lines *last;
	_Atomic uint64_t *heard_ms; /* the thread writes it */
	struct output_ranks *before;
};

/* Those of the plan, with their log files open. NULL on failure. */
struct output_ranks *output_ranks_new(const struct plan *plan, struct err *err);

/* A line in the log of each: whoever reads it sees on which node the rest of
 * it was written. */
void output_ranks_say_where(const struct output_ranks *ranks,
			    const struct plan *plan);

void output_ranks_free(struct output_ranks *ranks);

#endif
