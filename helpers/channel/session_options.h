/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_HELPERS_CHANNEL_SESSION_OPTIONS_H
#define DT_HELPERS_CHANNEL_SESSION_OPTIONS_H

#include "core/option/config.h"
#include "core/plan/plan.h"
#include "helpers/channel/subscription.h"
#include "helpers/channel/visits.h"
#include "helpers/conn/step_secret.h"
#include "sys/loop.h"
#include "sys/subprocess.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All are borrowed until session_close(). */
struct session_options {
	struct loop *loop;
	const struct plan *plan; /* of the step's world */
	/* The facts of Slurm's step, with all its members; NULL: those of the
	 * plan, which are the same in steps without recovery. */
	const struct job *job;
	const struct config *config;
	/* NULL, or not there: the secret is handed over */
	const struct met_secret *met;
	/* Of the step's controller, which is no launcher: its server listens at
	 * this descriptor, and `message` gets what member 0 is told. 0: of a
	 * launcher. */
	int listen_fd;
	/* The same, beside srun: the line to it; 0: none. And the secret that
	 * came by it; NULL: it is handed over. */
	int srun_fd;
	const struct handed_secret *given;
	/* The same: all have left, and nothing more comes. */
	void (*over)(void *arg);
	/* Of task 0's launcher: start the controller, with that port, and the
	 * secret on its standard input; its standard output ends with it.
	 * Returns 0, or -1: the session has the server itself. NULL: the same.
	 */
	int (*start)(void *arg, int listen_fd, struct subprocess *ret,
		     struct err *err);
	/* Of task 0's launcher: its facts for a controller beside srun, for the
	 * session to free; NULL: out of memory. */
	char *(*facts)(void *arg, size_t *ret_n);
	bool needs_go; /* the step can't start before everybody is ready */
	/* The step outlives a lost node (doc/design/0080-lost-nodes.md), by the
	 * spares and the ladder of plan->resolved. The launcher then gets each
	 * later round by MSG_ROUND, and must know MSG_FENCE. */
	bool recovery;
	/* A message of the arbiter. MSG_LEAVE is the last. */
	void (*message)(void *arg, char type, const char *data, size_t n);
	/* Who takes what members tell, where the arbiter is; NULL: nobody. */
	const struct subscription *told;
	/* For who asks what the step does, where the arbiter is; NULL: nobody
	 * is told. */
	const struct visits *visits;
	/* The first failure of a round is decided, where the arbiter is; NULL:
	 * it isn't told. `node` is the member's, `why` a line for the user, or
	 * "": the member reports it. Not one of the step itself: a signal to
	 * all, a hang. */
	void (*failed)(void *arg, const char *node, int code, const char *why);
	/* srun says that the job ends at another time than it was handed over:
	 * seconds since the epoch, 0: never. Where the arbiter is; NULL: it
	 * isn't told. */
	void (*end_time)(void *arg, int64_t seconds);
	/* Lines for the user, each with its newline. */
	void (*say)(void *arg, const char *lines);
	void *arg;
};

#endif
