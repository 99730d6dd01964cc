/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/ranktable/ranktable_build.h"

#include "core/ascend/ranktable.h"
#include "sys/write_file.h"

#include <stdio.h>
#include <string.h>

#define MODE 0600

static enum ranktable_version asked(const struct plan *plan)
{
	switch (request_word(plan->request, KEY_TABLE)) {
	case TABLE_1_0:
		return RANKTABLE_1_0;
	case TABLE_1_2:
		return RANKTABLE_1_2;
	default:
		return RANKTABLE_AUTO;
	}
}

static int add_rows(struct ranktable *table, char *rows, struct err *err)
{
	char *save = NULL;

	for (char *line = strtok_r(rows, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		struct ranktable_row row;

		if (ranktable_row_parse(line, &row, err) < 0 ||
		    ranktable_add(table, &row, err) < 0)
			return -1;
	}
	return 0;
}

static int check_size(const struct ranktable *table, const struct plan *plan,
		      struct err *err)
{
	if (table->n == plan->world_size)
		return 0;
	return err_printf(err, "the nodes told of %zu NPUs for %u processes",
			  table->n, plan->world_size);
}

/* MindSpore wants ranks in the order of their servers' names. Where names don't
 * sort that way (node9, node10) a number stands before each. */
static bool names_are_sorted(const struct ranktable *table)
{
	for (size_t i = 1; i < table->n; i++)
		if (strcmp(table->row[i - 1]->server_id,
			   table->row[i]->server_id) > 0)
			return false;
	return true;
}

static int number_servers(const struct ranktable *from, struct ranktable *to,
			  struct err *err)
{
	const char *former = "";
	unsigned server = 0;

	for (size_t i = 0; i < from->n; i++) {
		struct ranktable_row row = *from->row[i];
		char id[65];

		server += i && strcmp(former, row.server_id) != 0;
		former = from->row[i]->server_id;
		snprintf(id, sizeof(id), "%06u-%.57s", server, former);
		row.server_id = id;
		if (ranktable_add(to, &row, err) < 0)
			return -1;
	}
	return 0;
}

int ranktable_build(char *rows, const struct plan *plan, char **ret,
		    size_t *ret_len, struct err *err)
{
	struct ranktable table = {0}, numbered = {0}, *it = &table;
	enum ranktable_version version;
	int rc = add_rows(&table, rows, err);

	if (rc == 0)
		rc = check_size(&table, plan, err);
	if (rc == 0)
		rc = ranktable_check(&table, asked(plan), &version, err);
	if (rc == 0 && !names_are_sorted(&table)) {
		it = &numbered;
		rc = number_servers(&table, &numbered, err);
		if (rc == 0)
			rc = ranktable_check(&numbered, version, &version, err);
	}
	if (rc == 0)
		rc = ranktable_text(it, version, ret, ret_len, err);
	ranktable_clear(&table);
	ranktable_clear(&numbered);
	return rc;
}

int ranktable_write(const char *text, size_t len, const char *path,
		    const char *node, struct err *err)
{
	struct err why;

	if (write_file(path, text, len, MODE, &why) == 0)
		return 0;
	return err_printf(err,
			  "node %s: %s; make room there, or let the "
			  "administrator's rundir= choose another place",
			  node, why.text);
}
