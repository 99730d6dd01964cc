/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The addresses of the whole step as variables, for programs that connect their
 * processes themselves (key peers, and frameworks with NEEDS_PEERS).
 */
#ifndef DT_CORE_ENV_PEERS_ENV_H
#define DT_CORE_ENV_PEERS_ENV_H

#include "core/base/envset.h"
#include "core/plan/plan.h"

/* Add DIST_TRAIN_PEERS, DIST_TRAIN_HOST_ADDRS and, for a process that has a
 * rank, DIST_TRAIN_PORT to the set, if the plan needs them. Fails when the
 * places or addresses aren't known, out of memory, and when a list is longer
 * than a variable can be. */
int peers_env(const struct plan *plan, const struct process *process,
	      struct envset *set, struct err *err);

#endif
