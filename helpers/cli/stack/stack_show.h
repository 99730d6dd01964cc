/* SPDX-License-Identifier: Apache-2.0 */
/* The stacks of a step, for a person and for a program. */
#pragma once

#include "core/base/err.h"
#include "helpers/sample/group.h"
#include "helpers/visit/step_find.h"
#include "helpers/visit/visitor.h"

#include <stdbool.h>
#include <stdio.h>

struct stack_view {
	unsigned long job, step;
	unsigned nnodes;
	struct node_names answered, silent, away;
	struct stacks *stacks;
	const struct stack_group *group; /* as stacks_group() has them */
	unsigned ngroups;
};

/* A line for each group; `all`: the whole stacks of its first rank, too. */
void stack_text(FILE *f, const struct stack_view *view, bool all);

/* doc/json.md. */
void stack_json(FILE *f, const struct stack_view *view);

/* `dist-train stack --dump`: what the communication libraries have recorded
 * (helpers/recorders/recorders.h). */

/* Collect it of the step of `way`, by its ports, and print it as text or JSON
 * (doc/json.md). Returns 0, or -1 when the step can't be asked. */
int stack_dump(const struct visit *way, bool json, struct err *err);
