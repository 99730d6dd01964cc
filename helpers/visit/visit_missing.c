/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/visit/visit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int visit_missing_open(struct visit_missing *ret, const struct visit *visit)
{
	*ret = (struct visit_missing){
		.visit = visit,
		.told = calloc(visit->step->nfound + 1, sizeof(*ret->told)),
	};
	return ret->told ? 0 : -1;
}

void visit_missing_close(struct visit_missing *m)
{
	node_names_clear(&m->silent);
	free(m->told);
}

void visit_missing_reset(struct visit_missing *m)
{
	memset(m->told, 0, m->visit->step->nfound * sizeof(*m->told));
	node_names_clear(&m->silent);
	m->nbusy = m->nunknown = m->nabsent = 0;
}

/* --- what is noted --- */

static void is_here(struct visit_missing *m, const char *node)
{
	const struct found_step *step = m->visit->step;

	for (unsigned i = 0; i < step->nfound; i++)
		if (!strcmp(step->node[i].name, node))
			m->told[i] = true;
}

void visit_missing_answer(struct visit_missing *m, const char *node,
			  const char *rows)
{
	is_here(m, node);
	m->nbusy += !strcmp(rows, "busy\n");
	m->nunknown += !strcmp(rows, "unknown\n");
}

void visit_missing_silent(struct visit_missing *m, const char *node)
{
	is_here(m, node);
	node_names_add(&m->silent, node);
}

/* --- what is said --- */

static void say(const struct visit_missing *m, const char *line)
{
	if (m->visit->missing)
		m->visit->missing(m->visit->arg, line);
	else
		fprintf(stderr, "dist-train: %s\n", line);
}

static void say_count(const struct visit_missing *m, unsigned n,
		      const char *what)
{
	char line[256];

	if (!n)
		return;
	snprintf(line, sizeof(line), "%u of the step's launchers %s", n, what);
	say(m, line);
}

static void name_all(const struct visit_missing *m,
		     const struct node_names *names, bool away)
{
	for (unsigned i = 0; m->visit->without && i < names->n; i++)
		m->visit->without(m->visit->arg, names->name[i], away);
}

static void say_silent(const struct visit_missing *m)
{
	char names[NODE_NAMES_SIZE], line[NODE_NAMES_SIZE + 64];

	if (!m->silent.n)
		return;
	snprintf(line, sizeof(line), "%s %s in time",
		 node_names_text(&m->silent, 0, names),
		 m->silent.n > 1 ? "don't answer" : "doesn't answer");
	say(m, line);
	name_all(m, &m->silent, false);
}

/* Nodes of which nobody has been heard. A launcher at least is missing on each
 * of them: where that can't be, the names are others than Slurm's. */
static void find_absent(const struct visit_missing *m, struct node_names *ret)
{
	const struct found_step *step = m->visit->step;

	for (unsigned i = 0; i < step->nfound; i++)
		if (!m->told[i])
			node_names_add(ret, step->node[i].name);
	if (ret->n > m->nabsent)
		node_names_clear(ret);
}

static void say_absent(const struct visit_missing *m)
{
	const struct found_step *step = m->visit->step;
	unsigned all = step->nfound < step->nnodes ? m->nabsent : 0;
	char text[NODE_NAMES_SIZE], line[NODE_NAMES_SIZE + 128];
	struct node_names names = {0};

	if (!m->nabsent)
		return;
	find_absent(m, &names);
	node_names_text(&names, all, text);
	snprintf(line, sizeof(line),
		 "%u of the step's launchers aren't there%s%s%s: lost, or not "
		 "begun yet",
		 m->nabsent, names.n ? " (" : "", names.n ? text : "",
		 names.n ? ")" : "");
	say(m, line);
	name_all(m, &names, true);
	node_names_clear(&names);
}

void visit_missing_say(const struct visit_missing *m)
{
	say_silent(m);
	say_absent(m);
	say_count(m, m->nbusy,
		  "look at the same for another command: try again");
	say_count(m, m->nunknown,
		  "don't know the question: they are of an older release");
}
