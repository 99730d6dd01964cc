/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What /proc tells of a process that doesn't react. Nothing of the process is
 * stopped, and nothing here blocks: `stat`, `status` and `wchan` take no lock
 * that a process in state D may hold, which `syscall`, `stack`, `cmdline` and
 * `environ` do. Names of files are below `root`, "" but in tests.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#define SEEN_NAME_SIZE 64
#define SEEN_THREADS   64  /* that are looked at, of a process */
#define SEEN_TEXT_SIZE 400 /* of proc_seen_text() */

struct thread_seen {
	char state;		    /* of /proc/PID/stat; '\0': it is gone */
	char where[SEEN_NAME_SIZE]; /* in the kernel; "": nowhere, unknown */
};

struct proc_seen {
	pid_t pid;
	char name[SEEN_NAME_SIZE]; /* bytes that print */
	unsigned nthreads;
	struct thread_seen main;
	unsigned nrunning;	    /* threads but the main one */
	unsigned nstuck;	    /* those in state D */
	char stuck[SEEN_NAME_SIZE]; /* where the first of them is */
	bool catches;		    /* SIGABRT has a handler */
	bool blocked;		    /* and the main thread blocks it */
};

/* Returns 0, or -1 when it isn't there or has ended. */
int proc_seen_look(const char *root, pid_t pid, struct proc_seen *ret);

/* Whether it only waits for another process, as a shell does. */
bool proc_seen_waits(const struct proc_seen *seen);

/* Whether it writes its stacks when it gets SIGABRT, as far as one can see. */
bool proc_seen_can_speak(const struct proc_seen *seen);

/* "pid 94 (python3): 5 threads, the main one sleeps in futex_wait_queue", with
 * what keeps it from writing its stacks. Returns `buf`. */
const char *proc_seen_text(const struct proc_seen *seen,
			   char buf[SEEN_TEXT_SIZE]);
