/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: how the launchers of a step come to a common secret, and to facts
 * that only other nodes know, where no srun has had the plugin
 * (doc/design/helpers-meet.md). It ends before the launcher's own
 * loop begins, and helpers/channel goes on with the secret.
 *
 * Task 0's launcher makes the secret. Each other one asks for it at the address
 * and ports at which it would have found the server anyway, and gets a
 * credential of MUNGE, which it opens, or the secret for its token
 * (helpers/auth, whatever the cluster's issuer is). With the secret they can
 * talk; where facts are to be learned, each tells its own and gets those of all
 * (core/facts/learned.h) before there is a plan.
 *
 * Both functions block, as long as the key `timeout` at most; they end early
 * when Slurm ends the step.
 */
#pragma once

#include "core/base/err.h"
#include "core/facts/job.h"
#include "core/option/config.h"
#include "core/option/option.h"
#include "core/plan/plan.h"
#include "helpers/conn/step_secret.h"

/* Whether the hand-over asks for a secret. */
bool meet_wanted(void);

/* Get the secret for the session of that plan, unless it is there already.
 * Without it ret->why says the
 * reason, as where srun has made none: each launcher then looks after its own
 * task. Returns 0, or -1 with an empty *err when Slurm ends the step. */
int meet_for_secret(const struct plan *plan, const struct config *config,
		    struct met_secret *ret, struct err *err);

struct learning {
	const struct request *request;
	const struct config *config;
	struct job *job;
	/* Called in task 0's launcher when `job` has all facts, before the
	 * others get them: 0, or -1 when the step can't be with these. */
	int (*check)(void *arg, struct err *err);
	void *arg;
};

/* Get the secret, and let the job learn what HANDOVER_LEARN says. Nothing is to
 * be learned: 0, and *ret is untouched. Returns -1 when there is no secret, a
 * launcher doesn't come in time, or the check fails: the step can't start. The
 * text of *err is empty where task 0's launcher says it for all, and when Slurm
 * ends the step. */
int meet_and_learn(const struct learning *learning, struct met_secret *ret,
		   struct err *err);

void met_clear(struct met_secret *met);
