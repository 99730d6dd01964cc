/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sight: what this launcher sees, while the controller waits for it
 * (MSG_LOOK; MSG_SEEN answers). helpers/look has what can be asked for.
 */
#pragma once

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

/* The controller asks for that kind, by a number that its answer has. */
void sight_ask(struct launch_view *v, const struct sight_kind *kind,
	       const char *words, long number, long ms);

/* Answer at once; "": nothing. */
void sight_answer(const struct launch_view *v, long number, const char *rows);

/* Nobody waits any more. */
void sights_drop(struct launch_view *v);
