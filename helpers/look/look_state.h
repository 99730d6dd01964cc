/* SPDX-License-Identifier: Apache-2.0 */
/* The room inside. */
#ifndef DT_HELPERS_LOOK_LOOK_STATE_H
#define DT_HELPERS_LOOK_LOOK_STATE_H

#include "helpers/launch/launch_view.h"
#include "helpers/look/look.h"

struct look {
	struct launch_view *v;
	struct sight *sights; /* that have begun */
};

/* What can be asked for; ends with {0}. A file of its own, which tests
 * replace. */
extern const struct sight_kind look_kinds[];

void recorders_begin(struct sight *sight, const char *words);
void recorders_end(struct sight *sight);
void status_begin(struct sight *sight, const char *words);
void status_end(struct sight *sight);
void signs_begin(struct sight *sight, const char *words);
void stack_begin(struct sight *sight, const char *words);
void stack_end(struct sight *sight);
void pace_begin(struct sight *sight, const char *words);

#endif
