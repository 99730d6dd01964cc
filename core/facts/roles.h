/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the processes of a step are there for, and how many of each there are.
 */
#pragma once

#include "core/base/err.h"

#include <stdbool.h>

enum role {
	ROLE_WORKER,	 /* trains */
	ROLE_LAUNCHER,	 /* starts workers itself, such as torchrun */
	ROLE_CHIEF,	 /* coordinates; its end is that of the training */
	ROLE_PS,	 /* parameter server: keeps variables, owns no device */
	ROLE_EVALUATOR,	 /* looks at checkpoints beside the training */
	ROLE_SCHEDULER,	 /* lets workers find each other */
	ROLE_HEAD,	 /* of a cluster of its own, such as Ray's */
	ROLE_STORE,	 /* key-value service by which workers meet */
	ROLE_LIGHTHOUSE, /* lets replica groups find each other */
	ROLE_TRACKER,	 /* XGBoost's name for the scheduler */
	ROLE_COUNT,
};

const char *role_name(enum role role);

/* Whether a process of this role serves others and never ends by itself: it
 * is ended when all that aren't services have ended with 0. */
bool role_is_service(enum role role, bool has_chief);

/* Whether it computes on accelerators: it has a share in its node's. */
bool role_owns_devices(enum role role);

#define ROLES_AUTO (-1L)

/* What was asked for. */
struct role_wish {
	long workers, ps; /* ROLES_AUTO: as many as there is room for, one per
			     node */
	unsigned chief, evaluator; /* 0 or 1 */
};

/* How many there are; all 0: every process has its framework's role. */
struct roles {
	unsigned chief, workers, ps, evaluator;
};

unsigned long roles_total(const struct roles *roles);

/* Each of the step's tasks has a role: ps one per node unless their number or
 * that of the workers is given, workers the rest. Fails when the tasks are too
 * few or too many. */
int roles_of_tasks(const struct role_wish *wish, unsigned ntasks,
		   unsigned nnodes, struct roles *ret, struct err *err);

/* Each node has one task, in which a launcher starts as many processes as are
 * asked for: one ps and `workers_per_node` workers per node where no number is
 * given. Fails when a node would have none. */
int roles_of_nodes(const struct role_wish *wish, unsigned nnodes,
		   unsigned workers_per_node, struct roles *ret,
		   struct err *err);

/* How many processes node `node` has then: the chief is on the first, the
 * evaluator on the last, workers begin at the first, ps at the last. */
unsigned roles_on_node(const struct roles *roles, unsigned node,
		       unsigned nnodes);
