/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_HELPERS_LAUNCH_PHASES_H
#define DT_HELPERS_LAUNCH_PHASES_H

#include "helpers/launch/phase.h"

/* What a launcher does before the node's processes run, in this order. */
extern const struct phase launch_phases[];

#endif
