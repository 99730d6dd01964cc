/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the arbiter with recovery have in common:
 * arbiter_recovery.c decides, arbiter_losses.c notes who is lost,
 * arbiter_members.c reads what members say. */
#ifndef DT_HELPERS_RECOVERY_ARBITER_RECOVERY_H
#define DT_HELPERS_RECOVERY_ARBITER_RECOVERY_H

#include "helpers/channel/arbiter_state.h"

static inline struct roster *roster_of(const struct arbiter *r)
{
	return r->o.recovery->roster;
}

static inline unsigned node_of(const struct arbiter *r, unsigned member)
{
	return r->o.recovery->node[member];
}

static inline bool member_is_here(const struct arbiter *r, unsigned member)
{
	return r->o.here(r->o.arg, member);
}

static inline void say_line(const struct arbiter *r, const char *line)
{
	r->o.say(r->o.say_arg, line);
}

/* Which members have a place, as the roster says. */
void recovery_note_places(struct arbiter *arbiter);

/* What a loss would come to by the ladder, if it were decided now. */
enum roster_answer recovery_answer_now(const struct arbiter *arbiter);

/* A node that has a place can't go on; failure has what is said. */
void recovery_note_loss(struct arbiter_group *group,
			const struct arbiter_failure *failure);

/* Of a timer, with the arbiter: say which spares haven't come back. */
void recovery_spares_are_lost(void *arg);

/* MSG_ROUND to one member, or to all. */
void recovery_tell_round(struct arbiter *arbiter, unsigned member);

#endif
