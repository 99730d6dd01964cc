/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/ranktable/exchange.h"

#include "core/ascend/ranktable.h"
#include "core/plan/framework.h"
#include "core/plan/procmap.h"
#include "sys/text_file.h"

#include <stdlib.h>
#include <string.h>

#define MODE 0600

static enum ranktable_version asked(const struct plan *plan)
{
	switch (plan->resolved.table_version) {
	case TABLE_1_0:
		return RANKTABLE_1_0;
	case TABLE_1_2:
		return RANKTABLE_1_2;
	default:
		return RANKTABLE_AUTO;
	}
}

/* Give the row its rank. False: it has none, for its node isn't in the world.
 */
static bool row_ranks_give(struct row_ranks *ranks, struct ranktable_row *row)
{
	unsigned place;

	if (!row->node ||
	    hostindex_find(&ranks->nodes, row->node, &place) < 0 ||
	    row->rank >= ranks->node[place].n)
		return false;
	row->rank += ranks->node[place].first;
	ranks->ngiven++;
	return true;
}

/* `ranks` may be NULL: the rows have theirs. */
static int add_rows(struct ranktable *table, char *rows,
		    struct row_ranks *ranks, struct err *err)
{
	char *save = NULL;

	for (char *line = strtok_r(rows, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		struct ranktable_row row;

		if (ranktable_row_parse(line, &row, err) < 0)
			return -1;
		if (ranks && !row_ranks_give(ranks, &row))
			continue;
		if (ranktable_add(table, &row, err) < 0)
			return -1;
	}
	return 0;
}

static int check_size(const struct ranktable *table, const struct plan *plan,
		      struct err *err)
{
	if (table->n == plan->world_size)
		return 0;
	return err_printf(err, "the nodes reported %zu NPUs for %u processes",
			  table->n, plan->world_size);
}

static bool names_are_sorted(const struct ranktable *table)
{
	for (size_t i = 1; i < table->n; i++)
		if (strcmp(table->row[i - 1]->server_id,
			   table->row[i]->server_id) > 0)
			return false;
	return true;
}

int ranktable_build(char *rows, const struct plan *plan,
		    struct row_ranks *ranks, char **ret, size_t *ret_len,
		    struct err *err)
{
	__attribute__((cleanup(ranktable_clear))) struct ranktable table = {0};
	enum ranktable_version version;

	if (add_rows(&table, rows, ranks, err) < 0 ||
	    check_size(&table, plan, err) < 0 ||
	    ranktable_check(&table, asked(plan), &version, err) < 0)
		return -1;
	table.container_ips = true;
	table.numbered = plan->request->framework->sorts_servers &&
			 !names_are_sorted(&table);
	return ranktable_text(&table, version, ret, ret_len, err);
}

int ranktable_write(const char *text, size_t len, const char *path,
		    const char *node, struct err *err)
{
	struct err why;

	if (write_file(path, text, len, MODE, &why) == 0)
		return 0;
	return err_printf(err,
			  "node %s: %s; make room there, or have the "
			  "administrator's rundir= name another folder",
			  node, why.text);
}

int row_ranks_make(const struct plan *plan, struct row_ranks *ret,
		   struct err *err)
{
	cleanup_free struct rank_place *peer = procmap_make(plan, err);
	struct row_ranks r = {.ngiven = 0};

	if (!peer || hostindex_make(plan->job->nodes, &r.nodes, err) < 0)
		return -1;
	r.node = calloc(plan->nnodes, sizeof(*r.node));
	if (!r.node) {
		hostindex_clear(&r.nodes);
		return err_memory(err);
	}
	for (unsigned rank = plan->world_size; rank-- > 0;) {
		r.node[peer[rank].node].first = rank;
		r.node[peer[rank].node].n++;
	}
	*ret = r;
	return 0;
}

void row_ranks_clear(struct row_ranks *ranks)
{
	hostindex_clear(&ranks->nodes);
	free(ranks->node);
	*ranks = (struct row_ranks){.node = NULL};
}
