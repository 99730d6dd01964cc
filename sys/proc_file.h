/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel's files in /proc say of processes and their threads, below
 * `root`, which is "" but in tests. `stat`, `status`, `wchan` and `children`
 * take no lock that a process in state D may hold.
 */
#pragma once

#include "core/base/idset.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROC_NAME_SIZE	 32
#define PROC_STATUS_SIZE 4096 /* room for a whole file `status` */

/* What the file doesn't have is 0. */
struct proc_stat {
	char name[PROC_NAME_SIZE]; /* any bytes */
	char state;		   /* R, S, D, T, t, Z, ... as in ps */
	pid_t parent, session;
	uint64_t faults;      /* of pages */
	uint64_t ticks;	      /* of CPU, by the process itself */
	uint64_t ended_ticks; /* by its children that were waited for */
	uint64_t start;	      /* ticks since the boot */
	uint64_t rss_kib;     /* resident memory */
};

/* Of a process, or with `tid` of one of its threads. Returns 0, or -1 when it
 * isn't there. */
int proc_stat_read(const char *root, pid_t pid, long tid,
		   struct proc_stat *ret);

/* What a state means, as a verb: "sleeps", "is stopped by a signal". */
const char *proc_state_words(char state);

/* Bytes: through system calls, and what the kernel has moved for them by now.
 * Returns 0, or -1 where it isn't told, as of another user's process. */
struct proc_io {
	uint64_t read_chars, written_chars, read, written;
};
int proc_io_read(const char *root, pid_t pid, struct proc_io *ret);

/* What stands behind `key` and a colon in the text of a file `status`, or "".
 */
const char *proc_status_value(const char *status, const char *key);

/* Whether a signal is in one of the sets of a process that its file `status`
 * shows: "SigCgt" (it has a handler), "SigIgn", "SigBlk". */
bool proc_has_signal(const char *root, pid_t pid, const char *set, int signal);

/* Where in the kernel a thread waits; "": nowhere, or it isn't told. */
void proc_wchan_read(const char *root, pid_t pid, long tid, char *buf,
		     size_t size);

/* Call `visit` with each thread of a process. */
void proc_threads_each(const char *root, pid_t pid,
		       void (*visit)(void *arg, long tid), void *arg);

/* Call `visit` with each child that a thread of the process has started. */
void proc_children_each(const char *root, pid_t pid, long tid,
			void (*visit)(void *arg, pid_t child), void *arg);

/* The process and those below it, parents first: at most `max`. Returns how
 * many. */
unsigned proc_descendants(const char *root, pid_t pid, pid_t *ret,
			  unsigned max);

/*
 * Small files of /sys and /proc, each below a root folder that is "" but in
 * tests.
 */

/* Read a file whole, as far as it fits, and end it with a NUL. Returns 0, or
 * -1 when it can't be read. */
int sysfs_read(char *buf, size_t size, const char *root, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* A file that holds one number; -1 when there is none. */
int sysfs_number(const char *root, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* A file that holds a list such as "0-3,8"; returns 0 or -1. */
int sysfs_set(struct idset *ret, const char *root, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Call `visit` with each name of a folder below `root`, in no order. */
void sysfs_each(const char *root, const char *folder,
		void (*visit)(void *arg, const char *root, const char *name),
		void *arg);

/* The CPUs of this process. */

/* How many it may use; 0 where these are all of the machine's. Reads a file of
 * sysfs. */
unsigned cpus_if_bound(void);
