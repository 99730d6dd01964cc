/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions to the socket of Slurm's own authentication on this host, which
 * slurmd, sackd or slurmctld has. They don't block: the loop calls back. At
 * most SACK_AT_A_TIME are asked at a time, the others wait for their turn.
 *
 * Anybody may have a socket where Slurm's would be, so one counts only if root
 * or SlurmUser listens there. What it refuses it closes without a word. A
 * daemon that restarts does so, too: what should be granted is asked again for
 * some seconds.
 */
#pragma once

#include "core/base/err.h"
#include "core/facts/auth.h"
#include "helpers/auth/sack_words.h"
#include "sys/loop.h"

#include <stdbool.h>

#define SACK_AT_A_TIME 32
#define SACK_LIMIT_MS  10000

struct sack;
struct sack_call;

/* `auth` is copied. NULL: out of memory. */
struct sack *sack_open(struct loop *loop, const struct auth *auth,
		       struct err *err);

/* NULL is allowed. No question may be open. */
void sack_close(struct sack *sack);

/* The answer, once: a token, "" for one that was verified, or NULL with `why`:
 * a text for the user. Either is borrowed until the return. */
typedef void sack_answered(void *arg, const char *token, const char *why);

/* Ask for a token of this process's user that only `reader` may verify. NULL:
 * out of memory. */
struct sack_call *sack_create(struct sack *sack, uid_t reader,
			      const char *payload, sack_answered *answered,
			      void *arg);

/* Ask whether a token is good, and this process's user may verify it. */
struct sack_call *sack_verify(struct sack *sack, const char *token,
			      sack_answered *answered, void *arg);

/* Nobody wants to know any more; not after the answer. NULL is allowed. */
void sack_cancel(struct sack_call *call);

/* Why the last try was in vain, of any question; NULL: it wasn't. */
const char *sack_fault(const struct sack *sack);

/* Whose tokens this process gets. */
uid_t sack_user(const struct auth *auth);

/* In which order the sockets are tried, Slurm's own: the `try`-th, from 0 on.
 * Pure but for the environment. False: there are no more. `ret` may be "": one
 * that no socket can have. */
#define SACK_PATH_SIZE 108
#define SACK_VARIABLE  "SLURM_SACK_SOCKET"
bool sack_path(const char *cluster, unsigned try, char ret[SACK_PATH_SIZE]);

/* A token of Slurm's own authentication for a program that has nothing else to
 * do: these block, SACK_LIMIT_MS at most. It says nothing of any step, and
 * whoever has it can do nothing with it. */

/* A new one of this user's. Returns 0, or -1 and why there is none. */
int token_once_make(const struct auth *auth, char ret[SACK_TOKEN_MAX],
		    struct err *err);

/* Whether that is good on this host. Returns 0, or -1 and why it isn't. */
int token_once_verify(const struct auth *auth, const char *token,
		      struct err *err);
