/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/part/part.h"

#include <stddef.h>

const struct part *const launch_parts[] = {
#define PART(name) &name##_part,
#include "helpers/part/parts.def"
#undef PART
	NULL,
};
