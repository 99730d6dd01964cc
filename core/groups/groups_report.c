/* SPDX-License-Identifier: Apache-2.0 */
#include "core/groups/groups_report.h"

#include "core/base/cleanup.h"

#include <stdlib.h>

/* The part of each node at a level, for the caller to free. */
static unsigned *parts_of(const struct topology *t, enum groups_level level,
			  bool *ret_known)
{
	unsigned *part = calloc(t->nnodes + 1UL, sizeof(*part));

	*ret_known = false;
	for (unsigned i = 0; part && i < t->nnodes; i++) {
		part[i] = level == GROUPS_BLOCK ? topology_block(t, i)
						: topology_switch(t, i);
		if (part[i] == TOPOLOGY_NONE)
			part[i] = GROUPS_UNKNOWN;
		else
			*ret_known = true;
	}
	return part;
}

static int count_all(const struct plan *plan, const struct job *step,
		     const struct topology *t, struct groups_report *r,
		     struct err *err)
{
	cleanup_free unsigned *block =
		parts_of(t, GROUPS_BLOCK, &r->known[GROUPS_BLOCK]);
	cleanup_free unsigned *leaf =
		parts_of(t, GROUPS_SWITCH, &r->known[GROUPS_SWITCH]);
	const unsigned *part[GROUPS_LEVELS] = {block, leaf};

	if (!block || !leaf)
		return err_memory(err);
	/* Inside such a domain nothing goes by these switches. */
	if (t->enclosed)
		r->known[GROUPS_SWITCH] = false;
	for (int i = 0; i < GROUPS_LEVELS; i++)
		if (r->known[i])
			groups_count(&r->groups, r->ranks.node, r->ranks.n,
				     part[i], r->now[i].kind);
	return groups_cure(plan, step, t, part, r, err);
}

/* The ranks that groups divide: the world's, or those of a replica group. */
static int size_of_world(const struct plan *plan, unsigned nranks,
			 unsigned *ret, struct err *err)
{
	unsigned n = plan->nreplicas ? plan->nreplicas : 1;

	if (n > 1 && (!plan->uniform || plan->nnodes % n))
		return err_printf(err,
				  "groups: the %u replica groups have "
				  "different numbers of ranks; use as many "
				  "nodes in each",
				  n);
	*ret = nranks / n;
	return 0;
}

int groups_report_make(const struct plan *plan, const struct job *step,
		       const struct topology *t, struct groups_report *ret,
		       struct err *err)
{
	struct groups_report r = {.alone = step->nnodes == 1};
	const struct request *request = plan->request;
	unsigned size = 0;
	struct groups asked;
	int rc;

	groups_of(request, &asked);
	if (rank_nodes_make(plan, step, &r.ranks, err) < 0)
		return -1;
	rc = size_of_world(plan, r.ranks.n, &size, err);
	if (rc == 0)
		rc = groups_fit(&asked, size, &r.groups, err);
	if (rc == 0) {
		r.near = groups_near(&r.groups, size);
		r.strict = groups_strict(request, &r.groups, size);
	}
	if (rc == 0 && !r.alone && t->nnodes == step->nnodes)
		rc = count_all(plan, step, t, &r, err);
	if (rc == 0)
		*ret = r;
	else
		groups_report_clear(&r);
	return rc;
}

void groups_report_clear(struct groups_report *r)
{
	free(r->ranks.node);
	r->ranks.node = NULL;
}
