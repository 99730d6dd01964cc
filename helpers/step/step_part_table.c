/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/step/controller.h"

#include <stddef.h>

const struct step_part *const step_parts[] = {
#define PART(name) &name##_of_step,
#include "helpers/step/step_parts.def"
#undef PART
	NULL,
};
