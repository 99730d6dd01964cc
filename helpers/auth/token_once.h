/* SPDX-License-Identifier: Apache-2.0 */
/* A token of Slurm's own authentication for a program that has nothing else to
 * do: these block, SACK_LIMIT_MS at most. It says nothing of any step, and
 * whoever has it can do nothing with it. */
#ifndef DT_HELPERS_AUTH_TOKEN_ONCE_H
#define DT_HELPERS_AUTH_TOKEN_ONCE_H

#include "core/base/err.h"
#include "core/facts/auth.h"
#include "helpers/auth/sack_words.h"

/* A new one of this user's. Returns 0, or -1 and why there is none. */
int token_once_make(const struct auth *auth, char ret[SACK_TOKEN_MAX],
		    struct err *err);

/* Whether that is good on this host. Returns 0, or -1 and why it isn't. */
int token_once_verify(const struct auth *auth, const char *token,
		      struct err *err);

#endif
