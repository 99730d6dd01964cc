/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of stacks (group.h), for a person. */
#ifndef DT_HELPERS_SAMPLE_STACKS_PRINT_H
#define DT_HELPERS_SAMPLE_STACKS_PRINT_H

#include "helpers/sample/group.h"

#include <stdbool.h>
#include <stdio.h>

/* A line; `all`: the whole stacks of its first rank and of that one's children,
 * too. */
void stacks_print_group(FILE *f, const struct stacks *stacks,
			const struct stack_group *group, bool all);

/* A line for each note; ranks that have the same to say are counted. */
void stacks_print_notes(FILE *f, const struct stacks *stacks);

#endif
