/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_HELPERS_LAUNCH_EARLY_SERVER_H
#define DT_HELPERS_LAUNCH_EARLY_SERVER_H

struct launch;
struct spawn;

/* The process has been started: where the plan wants it
 * (core/plan/plan.c), a child of ours listens on the coordinator's port
 * until the process does or ends. What fails is left. */
void early_server_start(struct launch *l, const struct spawn *s);

#endif
