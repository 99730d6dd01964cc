/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides for the whole step: when all are ready, which failure was the first,
 * when everybody leaves and with which exit code. One per step, in
 * task 0's launcher; it knows members only by number.
 *
 * The first failure is the earliest one by this node's clock: the time when its
 * message arrived, minus the time that the sender had kept it, so that clocks
 * of different nodes are never compared. Failures that are reported within
 * WINDOW_MS of the first report are compared.
 */
#ifndef DT_HELPERS_CHANNEL_ARBITER_H
#define DT_HELPERS_CHANNEL_ARBITER_H

#include "core/base/err.h"
#include "helpers/channel/message.h"
#include "sys/loop.h"

#include <stdbool.h>
#include <stddef.h>

#define ARBITER_ALL (~0U)

struct arbiter;

struct arbiter_options {
	struct loop *loop;
	unsigned n;	 /* members */
	long grace_s;	 /* from the first failure to the end of the others */
	unsigned rounds; /* restarts in place that are allowed */
	bool start_together; /* no member starts a process before MSG_GO */
	bool no_deadline; /* after MSG_DONE a member may take any time to end,
		     and its exit code counts */
	unsigned round;	  /* restarts made so far */
	/* Whether a failure with this exit code causes a restart. */
	bool (*restarts_on)(const void *arg, int code);
	const void *restart_arg;
	/* Tell one member, or all that are here (ARBITER_ALL). After MSG_LEAVE
	 * nothing more comes for that member. */
	void (*send)(void *arg, unsigned member, char type, const char *data,
		     size_t n);
	/* Whether the member has come. */
	bool (*here)(const void *arg, unsigned member);
	void *arg; /* for these two */
	/* A line for the user. */
	void (*say)(void *arg, const char *line);
	void *say_arg;
};

struct arbiter *arbiter_new(const struct arbiter_options *options,
			    struct err *err);
void arbiter_free(struct arbiter *arbiter);

/* A message of a member that has sent MSG_HELLO. A malformed one is ignored. */
void arbiter_handle(struct arbiter *arbiter, unsigned member, char type,
		    const char *data, size_t n);

/* A member can't be reached any more; `who` names its node ("node2"), `why` is
 * an errno or 0. Nothing has come from there for `silent_s`. */
void arbiter_lost(struct arbiter *arbiter, unsigned member, const char *who,
		  int why, long silent_s);

/* End the step for a reason outside of it, said in `line`; its exit code is
 * `code`, the end comes after `after_s`. */
void arbiter_stop(struct arbiter *arbiter, const char *line, int code,
		  long after_s);

/* The time is over in which members may come. From now on who isn't here isn't
 * waited for, and nothing is restarted while somebody is missing; who comes
 * later takes part as the others do. */
void arbiter_wait_no_more(struct arbiter *arbiter);

/* What Slurm may not have seen. */
enum arbiter_loss {
	LOSS_NONE,
	LOSS_LAUNCHER, /* a launcher was killed; slurmstepd may have been too */
	LOSS_TASK,     /* some task's end will never be reported */
	LOSS_NODE,     /* a node, or its network, is gone */
};

enum arbiter_loss arbiter_loss(const struct arbiter *arbiter);

#endif
