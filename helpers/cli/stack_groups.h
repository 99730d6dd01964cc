/* SPDX-License-Identifier: Apache-2.0 */
/* Where the ranks of a step are, by group, as stack and why show it. */
#ifndef DT_HELPERS_CLI_STACK_GROUPS_H
#define DT_HELPERS_CLI_STACK_GROUPS_H

#include "helpers/cli/json_print.h"
#include "helpers/sample/group.h"

#include <stdio.h>

/* For the launchers to take stacks. */
#define STACK_MS 15000

/* The group's line behind `before`; a suspect is marked. */
void group_print(FILE *f, const char *before, const struct stack_group *group);

/* What couldn't be had: a line for each that is different. */
void group_notes(FILE *f, const char *before, const struct stacks *stacks);

/* A frame's members, of doc/json.md. False: out of memory. */
bool json_fill_frame(cJSON *to, const struct stack_frame *frame);

/* The member "groups" of n groups. The same. */
bool json_add_groups(cJSON *to, const struct stack_group *group, unsigned n);

#endif
