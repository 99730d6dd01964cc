/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/part/part.h"

#include "helpers/part/launch_view.h"

static bool is_wanted(const struct launch *l, const struct part *p)
{
	return !p->wanted || p->wanted(launch_view(l)->plan);
}

static unsigned nparts(const struct launch *l)
{
	return launch_view(l)->parts.n;
}

/* The open one at that place of the table, or one that does nothing. */
static const struct part *part_at(const struct launch *l, unsigned at)
{
	static const struct part none;
	const struct part *p = launch_view(l)->parts.table[at];

	return is_wanted(l, p) ? p : &none;
}

int parts_open(struct launch *l, const struct part *const *table,
	       struct err *err)
{
	struct parts *parts = &launch_view(l)->parts;

	parts->table = table;
	while (table[parts->n]) {
		const struct part *p = table[parts->n++];

		if (!is_wanted(l, p))
			continue;
		if (own_make(l, p, p->size, err) == 0 &&
		    (!p->open || p->open(l, err) == 0))
			continue;
		parts_close(l);
		return -1;
	}
	return 0;
}

void parts_close(struct launch *l)
{
	struct parts *parts = &launch_view(l)->parts;

	while (parts->n) {
		const struct part *p = parts->table[--parts->n];

		if (p->close && (!p->size || own_of(l, p)))
			p->close(l);
	}
	own_free(l);
}

void parts_message(struct launch *l, char type, const char *text)
{
	for (unsigned i = 0; i < nparts(l); i++) {
		const struct part_message *m = part_at(l, i)->messages;

		for (; m && m->take; m++)
			if ((char)m->type == type)
				m->take(l, text);
	}
}

/* Tell all that have such a function. */
#define TELL(l, what, ...)                                                     \
	for (unsigned i = 0; i < nparts(l); i++)                               \
		if (part_at(l, i)->what)                                       \
	part_at(l, i)->what(l, ##__VA_ARGS__)

/* All or none: what is told of a round is that of its plan. */
static int make_again(struct launch *l, struct err *err)
{
	for (unsigned i = 0; i < nparts(l); i++) {
		const struct part *p = part_at(l, i);

		if (p->again && p->again(l, err) < 0)
			return -1;
	}
	return 0;
}

int parts_round(struct launch *l, struct err *err)
{
	if (make_again(l, err) < 0)
		return -1;
	TELL(l, round);
	return 0;
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
	for (unsigned i = 0; i < nparts(l); i++) {
		const struct part *p = part_at(l, i);

		if (p->env && p->env(l, process, set, err) < 0)
			return -1;
	}
	return 0;
}
