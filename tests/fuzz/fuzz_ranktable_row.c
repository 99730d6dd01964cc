/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of rows, as another node may send them: what is parsed can be written
 * and parsed again, and a table of whatever rows is refused or has a text that
 * doesn't depend on their order.
 */
#include "core/ascend/ranktable.h"

#include "tests/fuzz/fuzz.h"

static void check_row(const struct ranktable_row *row)
{
	char line[RANKTABLE_LINE_MAX], again[RANKTABLE_LINE_MAX];
	struct ranktable_row same;
	struct err err;

	RULE(ranktable_row_format(row, line, sizeof(line), &err) == 0);
	strcpy(again, line);
	RULE(ranktable_row_parse(again, &same, &err) == 0);
	RULE(same.rank == row->rank && same.device_id == row->device_id);
	RULE(ranktable_row_format(&same, again, sizeof(again), &err) == 0);
	RULE(!strcmp(line, again));
}

static void add_line(struct ranktable *table, char *line)
{
	struct ranktable_row row;
	struct err err;

	if (ranktable_row_parse(line, &row, &err) < 0) {
		fuzz_check_error(err.text);
		return;
	}
	check_row(&row);
	RULE(ranktable_add(table, &row, &err) == 0);
}

/* The verdict on the table, as a text. */
static char *verdict(struct ranktable *table)
{
	enum ranktable_version version;
	struct err err;
	size_t len;
	char *text;

	if (ranktable_check(table, RANKTABLE_AUTO, &version, &err) < 0) {
		fuzz_check_error(err.text);
		return strdup(err.text);
	}
	RULE(ranktable_text(table, version, &text, &len, &err) == 0);
	RULE(strlen(text) == len);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *save = NULL, *one, *two;
	struct ranktable table = {0}, reversed = {0};
	struct err err;

	for (char *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		add_line(&table, line);
	for (size_t i = table.n; i > 0; i--)
		RULE(ranktable_add(&reversed, table.row[i - 1], &err) == 0);
	one = verdict(&table);
	two = verdict(&reversed);
	RULE(one && two && !strcmp(one, two));
	free(one);
	free(two);
	ranktable_clear(&table);
	ranktable_clear(&reversed);
	free(text);
	return 0;
}
