/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Start one process of a framework, the way Slurm starts a task.
 */
#pragma once

#include "core/base/envset.h"
#include "core/base/err.h"
#include "core/base/idset.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

/* What signals were set to when this program started, for its children. */
void child_remember_signals(void);

/* Let this process open as many files as it may: a step's launchers and their
 * output can be more than the usual 1024. Children have the limit as it was. */
void child_raise_files(void);

/* The program's environment: this process's own without markers and names that
 * begin with `without` (NULL-terminated list of prefixes), met with a resolved
 * set. An
 * array for execve(), to free with child_free_env(); NULL when out of
 * memory. */
char **child_env(const struct envset *set, const char *const without[]);
void child_free_env(char **env);

/* Find `program` as slurmstepd does: a path that begins with '/' as it is, with
 * '.' in the current folder, everything else along PATH. Into buf; returns 0,
 * or -1 when no such file can be executed. */
int child_find(const char *program, const char *path, char *buf, size_t size);

/* Where to look for programs of the system: PATH, or, in a task that has none
 * (srun --export=NONE), their usual folders. */
const char *child_path(void);

/* Namespaces in which a child sees other folders under some paths
 * (helpers/stage/view.h); -1 each: none. */
struct child_view {
	int user, mounts;
};

static inline void child_view_close(struct child_view *view)
{
	if (view->user >= 0)
		close(view->user);
	if (view->mounts >= 0)
		close(view->mounts);
	*view = (struct child_view){-1, -1};
}

/* What a child is to execute. */
struct child {
	const char *file;
	char *const *argv;
	char *const *env;
	int in, out, err;	       /* its standard streams; -1: ours */
	bool ignores_term;	       /* it starts with SIGTERM ignored */
	bool own_group;		       /* the terminal's keys don't signal it */
	bool exits_as_shell;	       /* where it can't be executed */
	const struct idset *cpus;      /* on which it may run; NULL: as we */
	const struct idset *memory;    /* NUMA node that it prefers; NULL or
					  none: as we */
	const struct child_view *view; /* NULL or none: ours */
};

/* Fork and execute. A binding that the kernel refuses stays as it was. The
 * child dies with this process (PR_SET_PDEATHSIG) and has the signals that this
 * program started with; where Yama restricts ptrace, this process and its other
 * children may read its stacks. When the program can't be executed the child
 * says so and ends with the error's number, as a task of Slurm's does, or with
 * a shell's code (core/base/exit_code.h). Returns the pid, or -1. */
pid_t child_start(const struct child *child, struct err *err);

/* Whether that has happened to a child. */
bool child_was_not_executed(void);

/*
 * Files in memory, and a socket, that the plugin hands to the launcher: the
 * other end of spank/node/inherited.c.
 */

/* Take the file whose descriptor is in the variable `name`, if any:
 * close-on-exec from now on, and gone from the environment. Call it before
 * anything else is opened or started. Returns the descriptor, the caller's to
 * close, or -1. A number that isn't a file in memory with that seal (F_SEAL_*)
 * was set by somebody else and is left alone. */
int inherited_fd_take(const char *name, int seal);

/* The same of a Unix socket for packets (SOCK_SEQPACKET). */
int inherited_socket_take(const char *name);

/* An env_lookup_fn (core/base/envset.h) over this process's environment. */
static inline const char *own_env(void *unused, const char *name)
{
	(void)unused;
	return getenv(name);
}
