/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/explain/explain_show.h"

#include "core/env/process_env.h"
#include "core/plan/plan.h"

#include <stdlib.h>
#include <string.h>

int process_view_make(struct dryrun_view *view, unsigned rank,
		      struct process_view *ret, struct err *err)
{
	struct process_view p = {0};

	if (dryrun_view_rank(view, rank, err) < 0)
		return -1;
	if (plan_process(&view->plan, rank - view->plan.first_rank, &p.process,
			 err) < 0 ||
	    process_env(&view->plan, &p.process, &p.set, err) < 0) {
		process_view_clear(&p);
		return -1;
	}
	*ret = p;
	return 0;
}

void process_view_clear(struct process_view *p)
{
	envset_clear(&p->set);
}

static bool is_same(const struct env_entry *a, const struct env_entry *b)
{
	if (!a || !a->value != !b->value)
		return false;
	return !a->value || !strcmp(a->value, b->value);
}

/* A variable that the processes before didn't have, or (`first`) the first
 * process's. */
static int add_entry(struct process_common *c, const struct env_entry *e,
		     bool first, struct err *err)
{
	bool *differs = realloc(c->differs, (c->set.n + 1) * sizeof(*differs));
	int rc;

	if (!differs)
		return err_memory(err);
	c->differs = differs;
	differs[c->set.n] = !first;
	rc = e->value ? envset_add(&c->set, e->kind, e->source, err, e->name,
				   "%s", e->value)
		      : envset_unset(&c->set, e->kind, e->source, err, e->name);
	if (rc == 0 && e->secret)
		envset_hide(&c->set, e->name);
	return rc;
}

static int compare(struct process_common *c, const struct envset *set,
		   bool first, struct err *err)
{
	size_t before = c->set.n;

	for (size_t i = 0; i < before; i++)
		if (!is_same(envset_find(set, c->set.entry[i].name),
			     &c->set.entry[i]))
			c->differs[i] = true;
	for (size_t i = 0; i < set->n; i++)
		if (!envset_find(&c->set, set->entry[i].name) &&
		    add_entry(c, &set->entry[i], first, err) < 0)
			return -1;
	return 0;
}

int process_common_make(struct dryrun_view *view, const unsigned *rank,
			unsigned n, struct process_common *ret, struct err *err)
{
	struct process_common c = {0};

	for (unsigned i = 0; i < n; i++) {
		cleanup_process struct process_view p = {0};

		if (process_view_make(view, rank ? rank[i] : i, &p, err) < 0 ||
		    compare(&c, &p.set, i == 0, err) < 0) {
			process_common_clear(&c);
			return -1;
		}
	}
	*ret = c;
	return 0;
}

void process_common_clear(struct process_common *c)
{
	envset_clear(&c->set);
	free(c->differs);
	c->differs = NULL;
}

bool process_common_has(const struct process_common *c, const char *name)
{
	const struct env_entry *e = envset_find(&c->set, name);

	return e && !c->differs[e - c->set.entry];
}

int process_common_part(const struct process_common *c, bool differs,
			struct envset *ret, struct err *err)
{
	struct envset part = {
		.entry = calloc(c->set.n + 1, sizeof(*part.entry))};

	if (!part.entry)
		return err_memory(err);
	for (size_t i = 0; i < c->set.n; i++)
		if (c->differs[i] == differs)
			part.entry[part.n++] = c->set.entry[i];
	*ret = part;
	return 0;
}
