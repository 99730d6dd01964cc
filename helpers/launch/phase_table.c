/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/part/phase.h"

#include <stddef.h>

const struct phase *const launch_phases[] = {
#define PHASE(name) &name##_phase,
#include "helpers/part/phases.def"
#undef PHASE
	NULL,
};
