/* SPDX-License-Identifier: Apache-2.0 */
/* Where the ranks of a step are, by group, as JSON of stack and why. */
#pragma once

#include "helpers/cli/json_print.h"
#include "helpers/sample/group.h"

/* A frame as a member of that name, or with the name "" in an array; NULL is
 * none. */
void json_frame(struct json *j, const char *name,
		const struct stack_frame *frame);

/* The member "groups" of n groups. */
void json_groups(struct json *j, const struct stack_group *group, unsigned n);
