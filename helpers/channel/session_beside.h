/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of the session that finds the step's controller beside srun
 * (spank/srun/step_start.h). Task 0's launcher gives it its facts, and only
 * then it leads: where that launcher can't, it starts the controller on its own
 * node instead (session_step.h). So there is one, and task 0's launcher alone
 * decides where. The others look for it beside srun, and after a while in both
 * places.
 */
#ifndef DT_HELPERS_CHANNEL_SESSION_BESIDE_H
#define DT_HELPERS_CHANNEL_SESSION_BESIDE_H

#include "core/base/err.h"
#include "core/base/hostlist.h"

#include <stdbool.h>

struct session;

/* Whether srun has started one. */
bool session_has_beside(const struct session *session);

/* Of task 0's launcher: give the facts; of all: look for it, as `client` begins
 * to. Return 0 or -1. */
int session_begin_beside(struct session *session,
			 int (*client)(struct session *session,
				       struct err *err),
			 struct err *err);

/* Where it may be: client_options.port and ip_of, with the session. */
unsigned session_beside_port(const void *session, unsigned try);
const char *session_beside_ip(const void *session, unsigned try,
			      char ret[HOSTLIST_NAME_MAX]);

void session_beside_close(struct session *session);

#endif
