/* SPDX-License-Identifier: Apache-2.0 */
#include "core/groups/groups_report.h"

#include "core/base/hostlist.h"
#include "core/base/text.h"

#include <stdio.h>

static const char *const level_name[GROUPS_LEVELS] = {
	[GROUPS_BLOCK] = "block", [GROUPS_SWITCH] = "switch"};

static const struct group_count *count_of(const struct groups_report *r,
					  unsigned kind)
{
	return &r->now[groups_level_of(r, kind)].kind[kind];
}

static void name_node(const struct groups_report *r, const char *nodes,
		      unsigned rank, char ret[HOSTLIST_NAME_MAX])
{
	unsigned node = r->ranks.node[rank];

	if (!nodes || hostlist_nth(nodes, node, ret) < 0)
		snprintf(ret, HOSTLIST_NAME_MAX, "node %u", node);
}

static void add_kind(const struct groups_report *r, unsigned kind,
		     const char *nodes, char *buf)
{
	const struct group_count *c = count_of(r, kind);
	char node[2][HOSTLIST_NAME_MAX];

	for (int i = 0; i < 2; i++)
		name_node(r, nodes, c->rank[i], node[i]);
	text_add(buf, GROUPS_LINE_SIZE, ", ",
		 "%u of %u %s groups cross%s a %s (%.64s and %.64s)", c->ncross,
		 c->ngroups, r->groups.kind[kind].name,
		 c->ncross == 1 ? "es" : "",
		 level_name[groups_level_of(r, kind)], node[0], node[1]);
}

/* What an order would have, kind by kind in the order of the line. */
static void add_cures(const struct groups_report *r, unsigned bits, char *buf)
{
	unsigned before = 0, after = 0;
	char counts[GROUPS_MAX * 16] = "";

	for (unsigned k = 0; k < r->groups.n; k++) {
		enum groups_level level = groups_level_of(r, k);

		if (!(bits >> k & 1) || !r->now[level].kind[k].ncross)
			continue;
		before += r->now[level].kind[k].ncross;
		after += r->ordered[level].kind[k].ncross;
		text_add(counts, sizeof(counts), " and ", "%u",
			 r->ordered[level].kind[k].ncross);
	}
	if (r->has_order && after < before)
		text_add(buf, GROUPS_LINE_SIZE, "; ", "order=topology has %s",
			 after ? counts : "0");
	if (r->segment)
		text_add(buf, GROUPS_LINE_SIZE, "; ",
			 "srun --segment=%u with order=topology has 0 that "
			 "cross a block",
			 r->segment);
	if (r->switches)
		text_add(buf, GROUPS_LINE_SIZE, "; ",
			 "srun --switches=%u%s has 0 that cross a switch",
			 r->switches,
			 r->switches > 1 ? " with order=topology" : "");
}

const char *groups_line(const struct groups_report *r, unsigned bits,
			const char *nodes, char buf[GROUPS_LINE_SIZE])
{
	buf[0] = '\0';
	for (unsigned k = 0; k < r->groups.n; k++)
		if (bits >> k & 1 && count_of(r, k)->ncross)
			add_kind(r, k, nodes, buf);
	if (*buf)
		add_cures(r, bits, buf);
	return buf;
}

int groups_check(const struct groups_report *r, const char *nodes,
		 struct err *err)
{
	char line[GROUPS_LINE_SIZE];

	if (!r->strict || r->alone)
		return 0;
	if (!r->known[GROUPS_BLOCK] && !r->known[GROUPS_SWITCH])
		return err_printf(err, "groups-strict: Slurm knows no switch "
				       "and no block of these nodes (scontrol "
				       "show topology); leave the key out");
	if (*groups_line(r, r->strict, nodes, line))
		return err_printf(err, "groups-strict: %s", line);
	for (unsigned k = 0; k < r->groups.n; k++) {
		const struct group_count *c = count_of(r, k);

		if (r->strict >> k & 1 && c->nunknown)
			return err_printf(
				err,
				"groups-strict: %u of %u %s groups are on "
				"nodes of which Slurm knows no %s (scontrol "
				"show topology); leave the key out",
				c->nunknown, c->ngroups, r->groups.kind[k].name,
				level_name[groups_level_of(r, k)]);
	}
	return 0;
}
