/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/ranktable/exchange.h"

#include "core/ascend/ranktable.h"
#include "core/plan/framework.h"
#include "sys/text_file.h"

#include <stdio.h>
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
