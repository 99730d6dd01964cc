/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: what a launcher sees of its ranks when the controller asks
 * (helpers/step/query.h, doc/design/helpers-look.md): MSG_LOOK, and
 * MSG_SEEN for an answer.
 *
 * Nothing is looked at unless somebody asks: until then a step has this room's
 * few hundred bytes. What a launcher sees it tells as rows (core/facts/rows.h).
 *
 * look.c		the part: what is asked for (helpers/part/sight.h)
 * look_kinds.c		their table
 * look_status.c	the sight "status", and what ranks use of their GPUs
 * tree_use.c	what /proc says of them
 * look_recorders.c	the sight "recorders"
 * look_signs.c		the sights "signs" and "pace"
 * look_stack.c		the sight "stack": helpers/sample/sample.h
 * look_roles.c	what the agents of a file of roles know
 */
#pragma once

#include "core/plan/framework.h"
#include "helpers/part/launch_view.h"
#include "helpers/part/sight.h"

#include <stdio.h>
#include <sys/types.h>

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

/* Rows of the sight "status" that are to be had in a child alone: a process
 * whose memory map is locked makes /proc wait, and a driver may block for ever.
 */

#define TREE_PROCESSES 1024 /* that are looked at, at most */

/* The row "use": what a rank's process and all that it has started take, as
 * /proc below the folder `root` ("" but in tests) says. None where there is no
 * such process. */
void tree_use_tell(FILE *f, const char *root, unsigned rank, pid_t pid);

/* The rows "role NAME WORLD STATE URL TEXT", as the node's agent keeps them in
 * the launcher's folder: where there is none, there are no rows. */
void roles_tell(FILE *f, const char *folder);

/* Where the launcher's processes are agents of roles: a sight of ranks is of
 * none here. Who asks asks the worlds, of which the step's first launcher
 * tells. */
static inline bool has_roles(const struct launch_view *v)
{
	return v->plan->request->framework->program_is_file;
}

/* Answers the sight so. False: they are ranks. */
bool roles_answer(struct sight *sight);
