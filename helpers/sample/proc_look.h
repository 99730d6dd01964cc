/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What /proc tells of processes of this user: no process is stopped for it. It
 * reads small files, and may block only where the kernel does.
 */
#pragma once

#include "helpers/sample/program_find.h"
#include "sys/proc_file.h"

struct proc_thread {
	long tid;
	char name[PROC_NAME_SIZE];
	char state;			/* '?': unknown */
	char wchan[PROC_NAME_SIZE * 2]; /* "": it runs, or unknown */
	char call[PROC_NAME_SIZE];	/* the number of its system call; "" */
};

/* A file of /proc/PID as text; what doesn't fit is cut, and NULs become
 * `nul`. Returns how many bytes, or -1. */
long proc_text(pid_t pid, const char *name, char nul, char *buf, size_t size);

/* The value of a variable in the environment that it was started with. Returns
 * 0, or -1 when there is none or it doesn't fit. */
int proc_env(pid_t pid, const char *name, char *buf, size_t size);

/* The file that it executes, without the " (deleted)" of one that has gone.
 * Returns 0 or -1. */
int proc_exe(pid_t pid, char *buf, size_t size);

/* A process and what is below it, parents first. Returns how many. */
unsigned proc_tree(pid_t pid, struct process_node ret[PROGRAM_NODES]);

/* Its threads, the main one first. Returns how many there are in *ret; *ret_all
 * counts those that didn't fit, too. */
unsigned proc_threads(pid_t pid, struct proc_thread ret[SAMPLE_THREADS],
		      unsigned *ret_all);
