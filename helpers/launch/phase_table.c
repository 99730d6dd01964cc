/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/launch/phase.h"

#include <stddef.h>

const struct phase *const launch_phases[] = {
#define PHASE(name) &name##_phase,
#include "helpers/launch/phases.def"
#undef PHASE
	NULL,
};
