/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table's text. Every scalar is a string, and no key is there that isn't
 * needed: a host_ip without a device_ip would move all traffic to the hosts'
 * network, and an empty super_device_id is an error to the library.
 */
#include "core/ascend/ranktable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first row after the server that begins at `i`. */
static size_t server_end(const struct ranktable *table, size_t i)
{
	const char *server = table->row[i]->server_id;

	while (i < table->n && !strcmp(table->row[i]->server_id, server))
		i++;
	return i;
}

static size_t count_servers(const struct ranktable *table)
{
	size_t n = 0;

	for (size_t i = 0; i < table->n; i = server_end(table, i))
		n++;
	return n;
}

/* `before`"NAME":"VALUE"; the rows' texts need no escapes. */
static void write_text(FILE *f, const char *before, const char *name,
		       const char *value)
{
	fprintf(f, "%s\"%s\":\"%s\"", before, name, value);
}

static void write_number(FILE *f, const char *before, const char *name,
			 size_t value)
{
	fprintf(f, "%s\"%s\":\"%zu\"", before, name, value);
}

static void write_device(FILE *f, const struct ranktable_row *row, bool pods)
{
	write_number(f, "\n{", "device_id", row->device_id);
	if (row->device_ip)
		write_text(f, ",", "device_ip", row->device_ip);
	if (pods)
		write_number(f, ",", "super_device_id", row->super_device_id);
	write_number(f, ",", "rank_id", row->rank);
	fputs("}", f);
}

/* MindSpore wants ranks in the order of their servers' names. Where names don't
 * sort that way (node9, node10) a number stands before each. */
static void write_server_id(FILE *f, const struct ranktable *table, size_t i,
			    size_t server)
{
	const char *id = table->row[i]->server_id;
	char numbered[65];

	if (table->numbered)
		snprintf(numbered, sizeof(numbered), "%06zu-%.57s", server, id);
	write_text(f, "\n{", "server_id", table->numbered ? numbered : id);
}

static void write_servers(FILE *f, const struct ranktable *table, bool pods)
{
	size_t server = 0, end;

	fputs(",\"server_list\":[", f);
	for (size_t i = 0; i < table->n; i = end) {
		const struct ranktable_row *first = table->row[i];

		end = server_end(table, i);
		write_server_id(f, table, i, server++);
		if (first->host_ip && first->device_ip)
			write_text(f, ",", "host_ip", first->host_ip);
		fputs(",\"device\":[", f);
		for (size_t j = i; j < end; j++) {
			write_device(f, table->row[j], pods);
			fputs(j + 1 < end ? "," : "]}", f);
		}
		fputs(end < table->n ? "," : "]", f);
	}
}

static void write_pods(FILE *f, const struct ranktable *table)
{
	const char *pod = NULL;
	size_t server = 0;

	for (size_t i = 0; i < table->n; i = server_end(table, i)) {
		const struct ranktable_row *row = table->row[i];

		if (!pod || strcmp(pod, row->super_pod_id) != 0) {
			fputs(pod ? "]}," : ",\"super_pod_list\":[", f);
			pod = row->super_pod_id;
			write_text(f, "\n{", "super_pod_id", pod);
			fputs(",\"server_list\":[", f);
		} else {
			fputs(",", f);
		}
		write_server_id(f, table, i, server++);
		fputs("}", f);
	}
	fputs(pod ? "]}]" : "", f);
}

static void write_table(FILE *f, const struct ranktable *table, bool pods)
{
	write_text(f, "{", "status", "completed");
	write_text(f, ",", "version", pods ? "1.2" : "1.0");
	write_number(f, ",", "server_count", count_servers(table));
	write_servers(f, table, pods);
	if (pods)
		write_pods(f, table);
	fputs("}\n", f);
}

int ranktable_text(const struct ranktable *table,
		   enum ranktable_version version, char **ret, size_t *ret_len,
		   struct err *err)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	bool failed = !f;

	if (f) {
		write_table(f, table, version == RANKTABLE_1_2);
		failed = ferror(f);
		failed |= fclose(f) == EOF;
	}
	if (failed || len > RANKTABLE_TEXT_MAX) {
		free(text);
		return failed ? err_memory(err)
			      : err_printf(err,
					   "the rank table of %zu ranks has "
					   "%zu bytes; the library reads up "
					   "to %lu: use fewer processes",
					   table->n, len, RANKTABLE_TEXT_MAX);
	}
	*ret = text;
	*ret_len = len;
	return 0;
}
