/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: what a launcher sees of its ranks when the controller asks
 * (helpers/step/query.h, doc/design/helpers-look.md): MSG_LOOK, and
 * MSG_SEEN for an answer.
 *
 * Nothing is looked at unless somebody asks: until then a step has this room's
 * few hundred bytes. What a launcher sees it tells as rows (core/facts/rows.h).
 *
 * look.c		the sights that have begun
 * look_kinds.c		their table
 * look_status.c	the sight "status"; tree_use.c: what /proc says
 * look_recorders.c	the sight "recorders"
 * look_signs.c		the sights "signs" and "pace"
 * look_stack.c		the sight "stack": helpers/sample/sample.h
 * look_devices.c	what its ranks use of their GPUs
 */
#ifndef DT_HELPERS_LOOK_LOOK_H
#define DT_HELPERS_LOOK_LOOK_H

struct launch_view;
struct sight;

/* What can be asked for. Each answers by sight_tell(), once, at once or within
 * sight_ms(); it is asked again only when it has answered: who asks with the
 * same words meanwhile gets that answer too, with others the one row "busy".
 * `end`: nobody waits for it any more; NULL: it always answers at once. */
struct sight_kind {
	const char *what;
	void (*begin)(struct sight *sight, const char *words);
	void (*end)(struct sight *sight);
};

struct launch_view *sight_view(const struct sight *sight);

/* The time in which it has to answer, from its begin on. */
long sight_ms(const struct sight *sight);

/* What the kind keeps between begin and end. */
void sight_keep(struct sight *sight, void *kept);
void *sight_kept(const struct sight *sight);

/* The answer: rows. It ends the sight. */
void sight_tell(struct sight *sight, const char *rows);

#endif
