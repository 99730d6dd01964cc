/* SPDX-License-Identifier: Apache-2.0 */
/* What a rank does, and which group is to blame. */
#include "helpers/sample/group_state.h"
#include "helpers/sample/stack_types.h"

#include <string.h>

static bool has_frames(const struct stack_thread *t)
{
	for (unsigned i = 0; t && i < t->nframes; i++)
		if (!frame_is_kernel(&t->frame[i]))
			return true;
	return false;
}

enum stack_does stack_does(const struct stack_proc *proc,
			   const char **ret_collective)
{
	const struct stack_thread *t = stack_main(proc);
	const struct stack_frame *collective = t ? frames_collective(t) : NULL;
	char state = t && t->state != '?' ? t->state : proc->state;

	*ret_collective = collective ? frame_name(collective) : NULL;
	if (strchr("XxZ", proc->state))
		return STACK_GONE;
	if (strchr("Tt", state))
		return STACK_STOPPED;
	if (state == 'D')
		return STACK_DISK;
	if (!has_frames(t))
		return STACK_UNKNOWN;
	return *ret_collective ? STACK_COLLECTIVE : STACK_ELSEWHERE;
}

/* Ranks that do so. */
static unsigned nranks(const struct stack_group *group, unsigned n,
		       enum stack_does does)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += group[i].does == does ? group[i].n : 0;
	return sum;
}

static void blame(struct stack_group *group, unsigned n, enum stack_does does,
		  const char *why)
{
	for (unsigned i = 0; i < n; i++)
		if (group[i].does == does) {
			group[i].suspect = true;
			group[i].why = why;
		}
}

/* All but the largest, which has more ranks than the second one. */
static void blame_smaller(struct stack_group *group, unsigned n,
			  enum stack_does does, const char *why)
{
	unsigned most = 0, second = 0;

	for (unsigned i = 0; i < n; i++) {
		unsigned now = group[i].does == does ? group[i].n : 0;

		second = now > most ? most : now > second ? now : second;
		most = now > most ? now : most;
	}
	for (unsigned i = 0; i < n && most > second; i++)
		if (group[i].does == does && group[i].n < most) {
			group[i].suspect = true;
			group[i].why = why;
		}
}

void groups_judge(struct stack_group *group, unsigned n)
{
	unsigned waiting = nranks(group, n, STACK_COLLECTIVE);

	blame(group, n, STACK_GONE, "has ended while others run");
	blame(group, n, STACK_STOPPED, "is stopped");
	blame(group, n, STACK_DISK, "is stuck in the kernel (state D)");
	for (unsigned i = 0; i < n; i++)
		if (group[i].suspect)
			return;
	if (waiting && nranks(group, n, STACK_ELSEWHERE))
		blame(group, n, STACK_ELSEWHERE,
		      "isn't in a collective, as others are");
	else if (waiting)
		blame_smaller(group, n, STACK_COLLECTIVE,
			      "is in another collective than most");
	else
		blame_smaller(group, n, STACK_ELSEWHERE,
			      "isn't where most ranks are");
}
