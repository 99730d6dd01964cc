/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a process and all that it has started take: what /proc says of them.
 * Call it in a child: a process whose memory map is locked makes /proc wait.
 */
#ifndef DT_HELPERS_LOOK_TREE_USE_H
#define DT_HELPERS_LOOK_TREE_USE_H

#include <stdint.h>
#include <sys/types.h>

#define TREE_PROCESSES 1024 /* that are looked at, at most */

struct tree_use {
	unsigned nprocs;
	char state;	   /* of the one that has taken the most CPU: R, S, D,
			      T, Z, ... as in ps */
	uint64_t cpu_ms;   /* of all, those that have ended too */
	uint64_t rss_kib;  /* memory that several share counts for each */
	long long written; /* bytes, by write() to anything; -1: not told */
};

/* Below the folder `root` ("" but in tests). Returns 0, or -1 when there is no
 * such process. */
int tree_use(const char *root, pid_t pid, struct tree_use *ret);

#endif
