/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides for the whole step: when all are ready, which failure was the first,
 * when everybody leaves and with which exit code. One per step, in the process
 * that leads it; it knows members only by number.
 *
 * The first failure is the earliest one by this node's clock: the time when its
 * message arrived, minus the time that the sender had kept it, so that clocks
 * of different nodes are never compared. Failures that are reported within
 * WINDOW_MS of the first report are compared.
 *
 * Members may be in several groups (arbiter_options.group). Then a failure ends
 * and restarts its own group alone, in a round of its own; the others don't
 * hear of it. A group that can't start again stays down, and the step goes on
 * while `min_groups` are left. It ends when each group has ended or stays down:
 * with 0, or with the failure after which too few were left. What concerns the
 * whole step (arbiter_stop(), the first MSG_GO, MSG_DONE, MSG_LEAVE) goes to
 * all groups. One group is the step itself.
 */
#pragma once

#include "core/base/err.h"
#include "helpers/conn/message.h"
#include "sys/loop.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#define ARBITER_ALL (~0U)

#define LINE_TOO_MUCH                                                          \
	"dist-train: the facts of all tasks are too much for this node's "     \
	"memory\n"

struct arbiter;
struct roster;

/* For a step that outlives a lost node (doc/design/helpers-roster.md): all are
 * borrowed until arbiter_free(). The members are then one group. Without it
 * nothing takes a lost member's place. */
struct arbiter_recovery {
	struct roster *roster; /* the arbiter keeps it up to date */
	const unsigned *node;  /* by member, the number of its node */
	long lease_s;
};

struct arbiter_options {
	struct loop *loop;
	unsigned n;   /* members */
	bool by_node; /* one for each node, and not for each task */
	/* Members in several groups, each with a round of its own: by member,
	 * the number of its group; borrowed by arbiter_new() alone. */
	const unsigned *group;
	unsigned ngroups;    /* 0: the members are one, which is the step */
	unsigned min_groups; /* the step fails when fewer can go on */
	long grace_s;	 /* from the first failure to the end of the others */
	unsigned rounds; /* restarts in place that are allowed, of a group */
	bool start_together; /* no member starts a process before MSG_GO */
	bool no_deadline; /* after MSG_DONE a member may take any time to end,
		     and its exit code counts */
	/* Whether a failure with this exit code causes a restart. */
	bool (*restarts_on)(const void *arg, int code);
	const void *restart_arg;
	const char *restart_on; /* which do, for a person; borrowed */
	/* Tell one member, or all that are here (ARBITER_ALL). After MSG_LEAVE
	 * nothing more comes for that member. */
	void (*send)(void *arg, unsigned member, char type, const char *data,
		     size_t n);
	/* Whether the member has come. */
	bool (*here)(const void *arg, unsigned member);
	/* Ask all who are here for a sign of life; whether it has come from
	 * the member since that moment. NULL: nobody is asked. */
	void (*ask)(void *arg);
	bool (*heard)(const void *arg, unsigned member, uint64_t since_ms);
	void *arg;				 /* for these four */
	const struct arbiter_recovery *recovery; /* or NULL */
	/* A line for the user. */
	void (*say)(void *arg, const char *line);
	/* A round's first failure is decided: of that member, with that exit
	 * code; `line` is said, or "": the member reports. Not where the step
	 * has got a signal, or is stopped without a line: it is no member's.
	 * NULL: nobody wants to know. */
	void (*failed)(void *arg, unsigned member, int code, const char *line);
	/* A signal has ended processes: whether it may still come to others.
	 * NULL: it comes to all. */
	bool (*unsure)(const void *arg);
	void *say_arg; /* for these three */
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

/* Slurm has ended some of the step's processes, and these alone: the others end
 * at once. No member has failed; `line` says what has happened. */
void arbiter_cancelled(struct arbiter *arbiter, const char *line);

/* Ctrl-C, or another SIGINT to the whole step, has come. */
void arbiter_interrupted(struct arbiter *arbiter);

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

/* With recovery: the member has come, again or for the first time; its
 * MSG_STATE follows. */
void arbiter_came(struct arbiter *arbiter, unsigned member);

/* With recovery: nothing has come from the member for so long that it has ended
 * its processes by itself (recovery_fence_ms()); it counts as lost later. */
void arbiter_silent(struct arbiter *arbiter, unsigned member);

/* With recovery: the member is here, or may still come. */
bool arbiter_expects(const struct arbiter *arbiter, unsigned member);

/* With recovery: the step has ended because of a loss after which the ladder
 * wants the job requeued; and the nodes in reserve that are here. */
bool arbiter_requeues(const struct arbiter *arbiter);
unsigned arbiter_spares(const struct arbiter *arbiter);

/* By the key restarts, of the first group. */
unsigned arbiter_restarts(const struct arbiter *arbiter);
