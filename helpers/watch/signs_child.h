/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A launcher's child that looks for signs of work of its ranks (signs.h), since
 * some files of /proc wait for a process that hangs in exec(). While it waits
 * there it tells nothing, and no rank seems to work: their stacks show who
 * does.
 *
 * It reads SIGNS_ASKED and SIGNS_COUNT, and writes after each look rows
 * (core/facts/rows.h) for its ranks by their place in the wish,
 *
 *	sign PLACE MOVED_MS BUSY PROCESSES
 *
 * MOVED_MS: when it has worked last, on the clock of loop_now_ms().
 */
#ifndef DT_HELPERS_WATCH_SIGNS_CHILD_H
#define DT_HELPERS_WATCH_SIGNS_CHILD_H

#include <stdint.h>
#include <sys/types.h>

#define SIGNS_ASKED                                                            \
	'a' /* what the ranks read and write from now on is no work */
#define SIGNS_COUNT 'c' /* from now on it is */

struct signs_wish {
	unsigned n;
	const pid_t *pid; /* of each rank; they run */
	uint64_t interval_ms;
	uint64_t limit_ms; /* of the key */
};

/* For subprocess_spec.run, with pipes in both directions. */
int signs_child(const int fd[2], const void *wish);

#endif
