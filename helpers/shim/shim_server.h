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
 * shim_links.h		links to these commands, and to the rank table
 * shim_socket.h		the socket, at both of its ends
 * helpers/launch starts the script and serves the socket. The commands run as
 * the user and start no process of the step themselves.
 */
#ifndef DT_HELPERS_SHIM_SHIM_SERVER_H
#define DT_HELPERS_SHIM_SHIM_SERVER_H

#include "core/base/err.h"
#include "sys/loop.h"

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

#endif
