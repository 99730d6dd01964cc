/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/step/controller.h"

#include "helpers/arbiter/arbiter.h"
#include "helpers/lead/lead.h"

static bool has(const struct controller *c, const struct step_part *p)
{
	return !p->wanted || p->wanted(c->plan);
}

int controller_open(struct controller *c, struct err *err)
{
	const struct step_part *const *p = c->parts;

	for (; *p; p++)
		if (has(c, *p) && (*p)->open && (*p)->open(c, err) < 0)
			return -1;
	return 0;
}

void controller_close(struct controller *c)
{
	unsigned n = 0;

	while (c->parts && c->parts[n])
		n++;
	while (n--)
		if (c->parts[n]->close)
			c->parts[n]->close(c);
}

const struct subscription *controller_told(struct controller *c)
{
	const struct step_part *const *p = c->parts;
	const struct subscription *first = NULL;
	unsigned n = 0;

	for (; *p; p++) {
		const struct subscription *s = (*p)->told;

		if (!has(c, *p))
			continue;
		for (; s && s->take && n < CONTROLLER_TOLD_MAX; s++) {
			struct subscription *own = &c->told[n++];

			*own = *s;
			own->arg = c;
			own->next = first;
			first = own;
		}
	}
	return first;
}

/* Tell all that the step has, and that have such a function. */
#define TELL(c, what, ...)                                                     \
	for (const struct step_part *const *p = (c)->parts; *p; p++)           \
		if ((*p)->what && has(c, *p))                                  \
	(*p)->what(c, ##__VA_ARGS__)

void controller_round(struct controller *c)
{
	TELL(c, round);
}

void controller_leave(struct controller *c)
{
	TELL(c, leave);
}

void controller_lost(struct controller *c, unsigned member)
{
	TELL(c, lost, member);
}

/* --- the arbiter --- */

struct server *controller_server(const struct controller *c)
{
	return lead_server(c->lead);
}

struct arbiter *controller_arbiter(const struct controller *c)
{
	return server_arbiter(controller_server(c));
}

const char *controller_node_of(const struct controller *c, unsigned member)
{
	return server_node_of(controller_server(c), member);
}

void controller_stop(struct controller *c, int code, const char *why)
{
	arbiter_stop(controller_arbiter(c), why, code, 0);
}
