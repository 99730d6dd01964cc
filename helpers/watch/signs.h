/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signs of work of one rank: what the kernel counts of its process and of those
 * below it. A look at a rank that works costs two small files of /proc; one at
 * a rank that seems not to, two for each of its processes; when that has been
 * so for long, for a quarter of them.
 *
 * A process works while it reads or writes more than SIGNS_BYTES in a second
 * (files, pipes, sockets; a library's heartbeat is less), takes memory (more
 * than SIGNS_FAULTS page faults in a second: what computes does, an empty loop
 * doesn't), or has just begun or ended. CPU alone is no sign of work: who waits
 * may do that in a loop.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define SIGNS_BYTES	1024
#define SIGNS_FAULTS	100
#define SIGNS_TURNS	4
#define SIGNS_PROCESSES 1024 /* of a rank, at most */

struct signs_of_process {
	pid_t pid;
	pid_t tracer;		       /* at the last look; 0: none */
	bool busy;		       /* it used CPU since the last look */
	uint64_t ticks, bytes, faults; /* since its begin */
	uint64_t at_ms;		       /* of the last look; 0: none yet */
};

struct signs {
	const char *root;		  /* "" but in tests */
	uint64_t moved_ms;		  /* of the last sign of work */
	struct signs_of_process *process; /* owned; its child ends with it */
	unsigned n;
	unsigned first; /* the one that has moved last */
	unsigned turn;
};

/* Of the rank whose process is `pid`, which has just begun. `root` is borrowed.
 * Returns 0, or -1 when out of memory. */
int signs_open(struct signs *signs, const char *root, pid_t pid,
	       uint64_t now_ms);

/* Look at the processes that are known. Returns whether it works. After
 * `long_ms` without that they take turns. */
bool signs_look(struct signs *signs, uint64_t now_ms, uint64_t long_ms);

/* What they have done since the last look doesn't count. */
void signs_skip(struct signs *signs, uint64_t now_ms);

/* Look for what n ranks have started since: who has, works. It reads a file of
 * each process of this machine, once. */
void signs_find(struct signs *const signs[], unsigned n, uint64_t now_ms);

/* A person has it in hand: one of its processes is traced by a debugger (as it
 * was the last time this was asked, so that a sample of ours doesn't count), or
 * reads from a terminal. */
bool signs_is_held(struct signs *signs);

/* Whether one of its processes uses CPU. */
bool signs_is_busy(const struct signs *signs);

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
