/* SPDX-License-Identifier: Apache-2.0 */
/* Where the ranks of a step are, by group, as JSON of stack and why. */
#ifndef DT_HELPERS_CLI_GROUPS_JSON_H
#define DT_HELPERS_CLI_GROUPS_JSON_H

#include "helpers/cli/json_print.h"
#include "helpers/sample/group.h"

/* A frame's members, of doc/json.md. False: out of memory. */
bool json_fill_frame(cJSON *to, const struct stack_frame *frame);

/* The member "groups" of n groups. The same. */
bool json_add_groups(cJSON *to, const struct stack_group *group, unsigned n);

#endif
