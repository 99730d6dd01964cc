/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a node does with everyone's rows: parse, add, check, write the table.
 *
 *     ranktable_build rows SERVERS      lines of rows, 8 devices each
 *     ranktable_build table ROWS FILE   the table of the rows in file ROWS
 */
#include "core/ascend/ranktable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int die(const char *what)
{
	fprintf(stderr, "ranktable_build: %s\n", what);
	return 1;
}

/* In an order that no table has: the exchange gives none. */
static int print_rows(unsigned nservers)
{
	char line[RANKTABLE_LINE_MAX], server[32], node[32], ip[32];
	struct ranktable_row row = {.chip = CHIP_910B,
				    .node = node,
				    .server_id = server,
				    .host_ip = server,
				    .device_ip = ip};
	struct err err;

	for (unsigned i = 0; i < nservers * 8; i++) {
		unsigned n = (unsigned)(i * 7919UL % (nservers * 8UL));
		unsigned s = n / 8;

		row.rank = n;
		row.device_id = n % 8;
		snprintf(node, sizeof(node), "node%05u", s);
		snprintf(server, sizeof(server), "10.%u.%u.1", s / 256,
			 s % 256);
		snprintf(ip, sizeof(ip), "172.%u.%u.%u", n >> 16, n >> 8 & 255,
			 n & 255);
		if (ranktable_row_format(&row, line, sizeof(line), &err) < 0)
			return die(err.text);
		puts(line);
	}
	return 0;
}

static int read_rows(FILE *f, struct ranktable *table, struct err *err)
{
	char line[RANKTABLE_LINE_MAX];
	struct ranktable_row row;

	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (ranktable_row_parse(line, &row, err) < 0 ||
		    ranktable_add(table, &row, err) < 0)
			return -1;
	}
	return 0;
}

static int write_table(const char *rows, const char *path)
{
	FILE *in = fopen(rows, "r"), *out = fopen(path, "w");
	struct ranktable table = {0};
	enum ranktable_version version;
	struct err err;
	size_t len;
	char *text;

	if (!in || !out)
		return die("can't open the files");
	if (read_rows(in, &table, &err) < 0 ||
	    ranktable_check(&table, RANKTABLE_AUTO, &version, &err) < 0 ||
	    ranktable_text(&table, version, &text, &len, &err) < 0)
		return die(err.text);
	if (fwrite(text, 1, len, out) != len || fclose(out) == EOF)
		return die("can't write the table");
	fclose(in);
	free(text);
	ranktable_clear(&table);
	return 0;
}

int main(int argc, char *argv[])
{
	if (argc == 3 && !strcmp(argv[1], "rows"))
		return print_rows((unsigned)strtoul(argv[2], NULL, 10));
	if (argc == 4 && !strcmp(argv[1], "table"))
		return write_table(argv[2], argv[3]);
	return die("rows SERVERS, or table ROWS FILE");
}
