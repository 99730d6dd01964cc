/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What there is to stage: one launcher finds it out, and all read it. A text of
 * lines, behind the word "plan":
 *
 *	ID WHOLE BYTES FILES PATH	(tree.h), the path without links
 *	! TEXT				a path that can't be staged, and why
 *	= TEXT				there is nothing, and why
 */
#pragma once

#include "core/option/option.h"
#include "helpers/copies/tree.h"

#include <limits.h>

#define STAGE_PLAN_MAX	 (64U << 10)
#define STAGE_THINGS_MAX (2 * STAGE_PATHS_MAX)

struct stage_thing {
	struct tree_sum sum;
	char path[PATH_MAX];
};

/* Find it out for the command `program`, and write the text to fd. Blocks. */
void stage_plan_write(const struct request *request, const char *program,
		      int fd);

/* The same for one path: the thing, or why it can't be staged (-1). Blocks. */
int stage_plan_one(const char *asked, struct stage_thing *ret, struct err *err);

/* Read a line of it, which is moved behind that line. Returns 1, 0: it has no
 * more, or -1: it isn't a thing but a remark, *ret_remark of *ret_n bytes that
 * begins with ! or =. */
int stage_plan_next(const char **text, struct stage_thing *ret,
		    const char **ret_remark, size_t *ret_n);
