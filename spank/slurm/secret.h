/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A secret that only the processes of one step share: srun makes it and seals
 * it in a MUNGE credential for the job's user; each node opens it once, before
 * its tasks are, and hands it to the launcher in a pipe. It never
 * appears in a command line or in clear in an environment. Where Slurm's own
 * authentication is the cluster's, the credential only says so, and the
 * launcher asks the step's controller for the secret: nothing is asked here.
 *
 * The plugin isn't linked with libmunge: it uses the one that Slurm's
 * auth/munge has loaded into the same process.
 */
#pragma once

#include "core/base/err.h"
#include "core/facts/handover.h"

#include <stdbool.h>
#include <sys/types.h>

/* Find the host's libmunge. Call where no other thread is forking, before
 * secret_unseal() in a forked child. */
void secret_find_munge(void);

/* A new secret for the step `id` ("JOB.STEP"), and as a credential, to be freed
 * by the caller; NULL where neither is Slurm's, MUNGE doesn't answer, or no
 * random bytes are to be had. The caller wipes the secret. */
char *secret_make(const char *id, struct handover_secret *ret, struct err *err);

/* Another credential with that secret. */
char *secret_seal(const char *id, const struct handover_secret *secret,
		  struct err *err);

/* Whether that holds no secret: the launcher asks for it. */
bool secret_is_asked_for(const char *credential);

/* It is so for this very step; and what a launcher asks by. The second one
 * returns 0, or -1: another step has left it. */
void secret_to_be_asked_for(void);
int secret_by_asking(const char *credential, char ret[AUTH_WORD_MAX],
		     struct err *err);

/* No srun has made one: the launchers meet, by MUNGE or Slurm's own
 * authentication. For all tasks to come; and what each tells its launcher: ""
 * is MUNGE. */
void secret_to_be_met(void);
void secret_by_meeting(char ret[AUTH_WORD_MAX]);

/* Whether launchers will ask Slurm's own authentication, after one of these. */
bool secret_needs_socket(void);

/* Open the credential of the job's user, as whom this thread acts now, and keep
 * its secret, or what failed, for the tasks to come: they are forks. */
void secret_unseal(const char *credential, uid_t user);

/* No task needs it any more, or this one doesn't. */
void secret_forget(void);

/* Put the secret, and the credential that held it, unless that is "", into a
 * new pipe and forget it. Returns the end to read from, which the task's
 * program inherits, or -1 when it couldn't be opened or belongs to another
 * step. */
int secret_into_pipe(const char *id, const char *credential, struct err *err);
