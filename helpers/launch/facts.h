/* SPDX-License-Identifier: Apache-2.0 */
/* The phase that finds what only this node knows: which NPUs the processes
 * have (l->npus). */
#ifndef DT_HELPERS_LAUNCH_FACTS_H
#define DT_HELPERS_LAUNCH_FACTS_H

#include "helpers/launch/phase.h"

int facts_show(struct launch *l, struct err *err);
enum phase_state facts_begin(struct launch *l, struct err *err);

#endif
