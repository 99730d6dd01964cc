/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the controller of a step that outlives lost nodes knows of them: which
 * are here, which have a place, and the ladder of what follows from a loss. For
 * helpers/channel/session_server.c.
 */
#ifndef DT_HELPERS_RECOVERY_LEAD_H
#define DT_HELPERS_RECOVERY_LEAD_H

#include "core/base/err.h"
#include "helpers/arbiter/arbiter.h"

#include <stdbool.h>

struct session;
struct lead;

/* Of the session's step. NULL: out of memory, or the step's layout can't be
 * read. lead_close() afterwards. */
struct lead *lead_open(const struct session *session, struct err *err);
void lead_close(struct lead *lead);

/* What the arbiter has to know of it; as long as the lead is there. */
void lead_arbiter(struct lead *lead, struct arbiter_options *ret);

/* Whether some node's launchers have never come. */
bool lead_awaits(const struct lead *lead);

#endif
