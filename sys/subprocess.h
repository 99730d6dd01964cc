/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A child process: a program, or a function of this program in a fork. It gets
 * SIGKILL when the thread that has started it ends.
 * All forks of sys/ and helpers/ are here but one: sys/child.h starts the
 * processes of a framework, which have bindings and the task's own streams.
 */
#pragma once

#include "core/base/err.h"
#include "sys/loop.h"

#include <stddef.h>
#include <sys/types.h>

enum {
	SUBPROCESS_IN = 1,     /* a pipe to it: a program's standard input */
	SUBPROCESS_OUT = 2,    /* a pipe from it: a program's standard output */
	SUBPROCESS_ERR = 4,    /* a program's standard error, into that pipe */
	SUBPROCESS_NULL = 8,   /* other standard streams: /dev/null, not ours;
				  and no terminal (/dev/tty) */
	SUBPROCESS_GROUP = 16, /* it leads a process group, killed as a whole */
	SUBPROCESS_SIGNALS = 32, /* mask and handlers stay as ours are; else as
				    in a fresh process */
	/* for what may hang and be noisy: killed with its children */
	SUBPROCESS_HANGS = SUBPROCESS_OUT | SUBPROCESS_ERR | SUBPROCESS_NULL |
			   SUBPROCESS_GROUP,
	SUBPROCESS_BESIDE = 64, /* see SUBPROCESS_LOOKS */
	/* for what looks at the processes of a step while they run: the same in
	 * a session of its own. It is no orphan of theirs (sys/orphans.h), has
	 * none of our files but its pipes and spec.keeps, and when memory is
	 * short it goes first. Its writes to a pipe without a reader fail. */
	SUBPROCESS_LOOKS = SUBPROCESS_HANGS | SUBPROCESS_BESIDE,
};

/* What is to run: argv, or a function. All is borrowed during the start. */
struct subprocess_spec {
	const char *const *argv; /* NULL-terminated */
	const char *file;	 /* the program's path; NULL: argv[0] */
	char *const *env;	 /* of the program; NULL: ours */
	/* In the fork; it reads from the pipe fd[0] and writes to fd[1] (-1: no
	 * such pipe). What it returns is its exit code; stdio isn't flushed. */
	int (*run)(const int fd[2], const void *arg);
	const void *arg;
	/* What subprocess_run() writes to its standard input, with
	 * SUBPROCESS_IN; its first SUBPROCESS_INPUT_MAX bytes. NULL: nothing */
	const char *input;
	unsigned flags; /* SUBPROCESS_... */
	int keeps;	/* a file of ours for SUBPROCESS_LOOKS; 0, -1: none */
};

#define SUBPROCESS_INPUT_MAX 4096 /* what any pipe takes at once */

/* A child, and our ends of its pipes, or -1. subprocess_close() frees it. */
struct subprocess {
	pid_t pid;
	int in, out;
	unsigned flags;
	/* see subprocess_watch() */
	struct loop *loop;
	struct loop_watch watch;
	void (*output)(void *arg, const char *data, size_t n);
	void *arg;
};

/* Start it. A program that can't be executed says why on its standard error and
 * ends with 127 (not found) or 126. Returns 0, or -1 when there is no pipe or
 * no process to be had, or when too many that look hang. */
int subprocess_start(const struct subprocess_spec *spec, struct subprocess *ret,
		     struct err *err);

/* Let the loop call output() with what it writes, and with 0 bytes when all
 * that could write have gone; output() may close it then. The pipe becomes
 * non-blocking. Returns 0 or -1. */
int subprocess_watch(struct subprocess *sub, struct loop *loop,
		     void (*output)(void *arg, const char *data, size_t n),
		     void *arg, struct err *err);

/* Wait at most limit_ms for its end; blocks. Returns 0 with the status of
 * waitpid() in *ret_status unless that is NULL, or -1 when it still runs. */
int subprocess_wait(const struct subprocess *sub, int limit_ms,
		    int *ret_status);

/* SIGTERM or another signal to it, or to its group where it leads one. */
void subprocess_kill(const struct subprocess *sub, int signal);

/* Remove the watch and close the pipes; a child that still runs goes on. No-op
 * for one that is zero, and a second time. */
void subprocess_close(struct subprocess *sub);

/* Start it with SUBPROCESS_OUT, read until all that could write have gone, and
 * wait for its end; blocks. Into buf goes what fits, and a NUL after it; the
 * rest is read and dropped. Returns 0, or -1 when it couldn't be started or
 * didn't end within limit_ms: it has been sent SIGKILL then, and one that even
 * that doesn't end (a driver's call) is left behind; buf has what came before.
 */
int subprocess_run(const struct subprocess_spec *spec, int limit_ms, char *buf,
		   size_t size, size_t *ret_n, struct err *err);

/* The same with SUBPROCESS_HANGS, as text without NUL bytes: all that a program
 * prints, or that a function writes into its pipe. */
int subprocess_ask_program(const char *const argv[], int limit_ms, char *buf,
			   size_t size, struct err *err);
int subprocess_ask(int (*run)(const int fd[2], const void *arg),
		   const void *arg, int limit_ms, char *buf, size_t size,
		   struct err *err);

/* The same for a program with an event loop: all that a child writes until its
 * end, or until its time is over. */
struct subprocess_text {
	struct loop *loop;
	size_t max; /* bytes that are kept; the rest is dropped */
	/* Once, from the loop: the text with a NUL behind it, which may be
	 * changed; `late`: it was killed. May drop it. */
	void (*done)(void *arg, char *text, bool late);
	void *arg;
	/* its own */
	struct subprocess child;
	struct loop_timer limit;
	char *text;
	size_t n;
};

/* With loop, max, done and arg set, the rest zero; the flags need
 * SUBPROCESS_OUT. Returns 0, or -1: no process or no memory is to be had. */
int subprocess_text_begin(struct subprocess_text *text,
			  const struct subprocess_spec *spec, uint64_t limit_ms,
			  struct err *err);

/* Forget the text, and kill the child if it still runs. No-op on a zero one,
 * and a second time. */
void subprocess_text_drop(struct subprocess_text *text);

/* Root becomes this user, for good, with all of his groups and his home. A
 * program that is executed from now on is his as well: he may stop it and look
 * into it. So nothing of root's goes there: of the environment the few
 * variables are left that find programs, Slurm's files and the language;
 * of the open files the standard streams; no key of root's session keyring.
 * (The terminal is given up in subprocess.h.) Returns 0, or -1: the caller has
 * to end, as what it is then. */
int become_user(uid_t uid, gid_t gid, struct err *err);

/* In a fork: close all files but the standard streams and the n in `kept` (-1:
 * none), so that the parent's connections, pipes and locks end with it alone.
 */
void close_others(const int *kept, unsigned n);
