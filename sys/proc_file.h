/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel's files in /proc say of processes and their threads, below
 * `root`, which is "" but in tests. `stat`, `status`, `wchan` and `children`
 * take no lock that a process in state D may hold.
 */
#ifndef DT_SYS_PROC_FILE_H
#define DT_SYS_PROC_FILE_H

#include <stdbool.h>
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

#endif
