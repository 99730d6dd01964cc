/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: the launchers' part of looking into a running step
 * (doc/design/0090-looking-inside.md).
 *
 *	a command (helpers/visit)
 *	   | MSG_VISIT		   ^ MSG_SHOW, MSG_SHOWN
 *	   v			   |
 *	the arbiter's launcher (look_centre.c)
 *	   | MSG_LOOK, to all	   ^ MSG_SEEN, of each
 *	   v			   |
 *	all launchers, this one too (look.c and what look_kinds.c names)
 *
 * Nothing is looked at unless somebody asks: until then a step has this room's
 * few hundred bytes. What a launcher sees it tells as rows (core/facts/rows.h).
 *
 * look.c		a launcher's own sights
 * look_kinds.c		their table
 * look_centre.c	ask all launchers; visitors
 * look_answer.c	the credential for who asks for the secret
 * look_status.c	the sight "status"; tree_use.h: what /proc says
 * look_recorders.c	the sight "recorders"
 * look_signs.c	the sight "signs"
 * look_stack.c		the sight "stack": helpers/sample/sample.h
 * look_devices.h	what its ranks use of their GPUs
 * look_pace.c		who is slow, by what ranks report; stragglers.h
 */
#ifndef DT_HELPERS_LOOK_LOOK_H
#define DT_HELPERS_LOOK_LOOK_H

#include "helpers/channel/visits.h"

#include <stdbool.h>
#include <stddef.h>

#define LOOK_MS_MAX 60000 /* for all launchers to answer */

struct launch_view;
struct look;
struct looking;
struct sight;
struct visits;

/* For the session. */
const struct visits *look_visits(struct look *look);

/* --- a launcher's own sights --- */

/* What can be asked for. Each answers by sight_tell(), once, at once or within
 * sight_ms(); it is asked again only when it has answered: who asks with the
 * same words meanwhile gets that answer too, with others the one row "busy".
 * `end`: nobody waits for it any more; NULL: it always answers at once. */
struct sight_kind {
	const char *what;
	void (*begin)(struct sight *sight, const char *words);
	void (*end)(struct sight *sight);
	bool no_visitors; /* it is for launchers alone */
};

struct launch_view *sight_view(const struct sight *sight);

/* The time in which it has to answer, from its begin on. */
long sight_ms(const struct sight *sight);

/* What the kind keeps between begin and end. */
void sight_keep(struct sight *sight, void *kept);
void *sight_kept(const struct sight *sight);

/* The answer: rows. It ends the sight. */
void sight_tell(struct sight *sight, const char *rows);

/* --- all launchers, where the arbiter is --- */

struct looking_calls {
	/* One launcher has answered. */
	void (*seen)(void *arg, unsigned member, const char *node,
		     const char *rows);
	/* All who are here have answered, or the time is over; nothing is
	 * called afterwards. */
	void (*done)(void *arg);
	void *arg;
};

/* Ask all for "WHAT [WORD...]". NULL when out of memory, or not the arbiter's
 * launcher. */
struct looking *looking_begin(struct launch_view *v, const char *what, long ms,
			      const struct looking_calls *calls);

/* Nobody wants to know any more; not after `done`. */
void looking_drop(struct looking *looking);

#endif
