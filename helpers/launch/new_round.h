/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_HELPERS_LAUNCH_NEW_ROUND_H
#define DT_HELPERS_LAUNCH_NEW_ROUND_H

struct launch;

/* A new round begins here: l->job has its number and, with recovery, the facts
 * of its world; nothing of the one before runs any more. Make anew what belongs
 * to the plan, tell the parts, and walk the phases that each round has. */
void launch_begin_round(struct launch *l);

#endif
