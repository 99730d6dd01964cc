/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The launcher's end of a command that a script calls instead of horovodrun
 * and its like: a socket in the step's folder, which is the user's alone. The
 * command sends a request (helpers/shim/exec_request.h) with its standard
 * output and error, and waits for the exit code.
 *
 * helpers/shim holds the commands that a script finds ahead in PATH under
 * dialect=recsdk, and what they and the launcher share:
 * dist-train-horovodrun	sends what is to run to the launcher
 * dist-train-ps		ps, which shows a script its own processes only
 * horovodrun_options.h	horovodrun's command line
 * exec_request.h		what all processes are to run, as text
 * shim_links.c		links to these commands, and to the rank table
 * shim_socket.c		the socket, at both of its ends
 * helpers/launch starts the script and serves the socket. The commands run as
 * the user and start no process of the step themselves.
 */
#pragma once

#include "core/base/err.h"
#include "core/plan/dialect.h"
#include "sys/loop.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct shim_server {
	struct loop *loop; /* NULL: not open */
	/* A request has come; `text` is the callee's. */
	void (*on_request)(void *arg, char *text, size_t n);
	/* The command has ended before it had its answer, or sent what is no
	 * request. */
	void (*on_close)(void *arg);
	void *arg;
	int out, err; /* the command's own, or -1 */
	/* the shim's own */
	struct loop_watch listener, client;
	bool complete;
	char *text;
	size_t n, size;
};

/* Listen in `dir`. Fails when the socket can't be made. */
int shim_server_open(struct shim_server *shim, const char *dir,
		     struct err *err);

/* Let the command end with that code, if it is there. */
void shim_server_answer(struct shim_server *shim, int code);

/* Hand `out` and `err` to the caller, who closes them; untouched where there
 * are none. */
void shim_server_take_output(struct shim_server *shim, int *ret_out,
			     int *ret_err);

void shim_server_close(struct shim_server *shim);

/*
 * What a script that starts a step's processes finds: stand-ins in the step's
 * folder, which PATH begins with, and the files that it tests for.
 */

#define SHIM_LINKS 8

struct shim_links {
	char placed[SHIM_LINKS][PATH_MAX];
	unsigned n;	      /* of them */
	char table[PATH_MAX]; /* to which they lead */
};

/* Make links to the stand-ins in `dir`. Fails when they aren't installed. */
int shim_links_make(const char *dir, const char *shim, struct err *err);

/* Place links to the rank table in the current folder, under the names that
 * the form wants for so many processes of a node, and those of such files that
 * the script `argv` has in its text: up to SHIM_LINKS. What is there already
 * stays, but for links of steps that are over. Fails when the folder takes
 * none. */
int shim_links_place(struct shim_links *files, const struct dialect_form *form,
		     unsigned nprocs, const char *table, char *const argv[],
		     struct err *err);

/* Remove those that are still ours. */
void shim_links_remove(struct shim_links *files);

/* The socket of helpers/shim/shim_server.h, at both of its ends. */

#define SHIM_SOCKET "shim"

/* The listening socket in `dir`, not blocking, or -1. */
int shim_socket_listen(const char *dir, struct err *err);

/* A connection to that in `dir`, or -1. */
int shim_socket_connect(const char *dir, struct err *err);

/* The command's end: send the request to the launcher that listens in `dir`,
 * with standard output and error, and return the exit code that it answers.
 * Fails when there is none, or when it ends first. */
int shim_call(const char *dir, const char *text, size_t n, struct err *err);
