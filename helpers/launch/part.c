/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/launch/part.h"

#include "helpers/launch/launch.h"

static bool is_wanted(const struct launch *l, const struct part *p)
{
	return !p->wanted || p->wanted(&l->plan);
}

/* The open one at that place of the table, or one that does nothing. */
static const struct part *part_at(const struct launch *l, unsigned at)
{
	static const struct part none;

	return is_wanted(l, l->parts.table[at]) ? l->parts.table[at] : &none;
}

int parts_open(struct launch *l, const struct part *const *table,
	       struct err *err)
{
	l->parts.table = table;
	while (table[l->parts.n]) {
		const struct part *p = table[l->parts.n++];

		if (!p->open || !is_wanted(l, p) || p->open(l, err) == 0)
			continue;
		parts_close(l);
		return -1;
	}
	return 0;
}

void parts_close(struct launch *l)
{
	while (l->parts.n) {
		const struct part *p = l->parts.table[--l->parts.n];

		if (p->close)
			p->close(l);
	}
}

void parts_message(struct launch *l, char type, const char *text)
{
	for (unsigned i = 0; i < l->parts.n; i++) {
		const struct part_message *m = part_at(l, i)->messages;

		for (; m && m->take; m++)
			if ((char)m->type == type)
				m->take(l, text);
	}
}

/* Tell all that have such a function. */
#define TELL(l, what, ...)                                                     \
	for (unsigned i = 0; i < (l)->parts.n; i++)                            \
		if (part_at(l, i)->what)                                       \
	part_at(l, i)->what(l, ##__VA_ARGS__)

void parts_round(struct launch *l)
{
	TELL(l, round);
}

void parts_run(struct launch *l)
{
	TELL(l, runs);
}

void parts_leave(struct launch *l)
{
	TELL(l, leave);
}

void parts_ended(struct launch *l, const struct proc *proc)
{
	TELL(l, ended, proc);
}

int parts_env(struct launch *l, const struct process *process,
	      struct envset *set, struct err *err)
{
	for (unsigned i = 0; i < l->parts.n; i++) {
		const struct part *p = part_at(l, i);

		if (p->env && p->env(l, process, set, err) < 0)
			return -1;
	}
	return 0;
}
