/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table's text. Every scalar is a string, and no key is there that isn't
 * needed: a host_ip without a device_ip would move all traffic to the hosts'
 * network, and an empty super_device_id is an error to the library.
 */
#include "core/ascend/ranktable.h"

#include "core/base/ip.h"
#include "core/base/parse.h"

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

/* The text so far; it grows, and is NULL when memory doesn't suffice. */
struct out {
	char *text;
	size_t len, size;
	bool failed;
};

static void write_bytes(struct out *o, const char *bytes, size_t len)
{
	size_t size = (o->len + len + 1) * 2;
	char *text = o->text;

	if (o->failed)
		return;
	if (o->size - o->len <= len) {
		text = realloc(o->text, size);
		o->failed = !text;
		if (!text)
			return;
		o->text = text;
		o->size = size;
	}
	memcpy(text + o->len, bytes, len);
	o->len += len;
	text[o->len] = '\0';
}

static void write_plain(struct out *o, const char *text)
{
	write_bytes(o, text, strlen(text));
}

/* `before`"NAME":"VALUE"; the rows' texts need no escapes. */
static void write_text(struct out *o, const char *before, const char *name,
		       const char *value)
{
	write_plain(o, before);
	write_bytes(o, "\"", 1);
	write_plain(o, name);
	write_bytes(o, "\":\"", 3);
	write_plain(o, value);
	write_bytes(o, "\"", 1);
}

/* printf() would take half of the time of the whole table. */
static void write_number(struct out *o, const char *before, const char *name,
			 size_t value)
{
	char digits[DIGITS_SIZE];

	write_text(o, before, name, digits_text(value, digits));
}

static void write_device(struct out *o, const struct ranktable_row *row,
			 bool pods)
{
	write_number(o, "\n{", "device_id", row->device_id);
	if (row->device_ip)
		write_text(o, ",", "device_ip", row->device_ip);
	if (pods)
		write_number(o, ",", "super_device_id", row->super_device_id);
	write_number(o, ",", "rank_id", row->rank);
	write_plain(o, "}");
}

/* MindSpore wants ranks in the order of their servers' names. Where names don't
 * sort that way (node9, node10) a number stands before each. */
static void write_server_id(struct out *o, const struct ranktable *table,
			    size_t i, size_t server)
{
	const char *id = table->row[i]->server_id;
	char numbered[65];

	if (table->numbered)
		snprintf(numbered, sizeof(numbered), "%06zu-%.57s", server, id);
	write_text(o, "\n{", "server_id", table->numbered ? numbered : id);
}

static void write_addresses(struct out *o, const struct ranktable *table,
			    const struct ranktable_row *first)
{
	const char *id = first->server_id;
	struct ip ip;

	if (table->container_ips && ip_parse(id, strlen(id), &ip) == 0)
		write_text(o, ",", "container_ip", id);
	if (first->host_ip && first->device_ip)
		write_text(o, ",", "host_ip", first->host_ip);
}

static void write_servers(struct out *o, const struct ranktable *table,
			  bool pods)
{
	size_t server = 0, end;

	write_plain(o, ",\"server_list\":[");
	for (size_t i = 0; i < table->n; i = end) {
		end = server_end(table, i);
		write_server_id(o, table, i, server++);
		write_addresses(o, table, table->row[i]);
		write_plain(o, ",\"device\":[");
		for (size_t j = i; j < end; j++) {
			write_device(o, table->row[j], pods);
			write_plain(o, j + 1 < end ? "," : "]}");
		}
		write_plain(o, end < table->n ? "," : "]");
	}
}

static void write_pods(struct out *o, const struct ranktable *table)
{
	const char *pod = NULL;
	size_t server = 0;

	for (size_t i = 0; i < table->n; i = server_end(table, i)) {
		const struct ranktable_row *row = table->row[i];

		if (!pod || strcmp(pod, row->super_pod_id) != 0) {
			write_plain(o, pod ? "]}," : ",\"super_pod_list\":[");
			pod = row->super_pod_id;
			write_text(o, "\n{", "super_pod_id", pod);
			write_plain(o, ",\"server_list\":[");
		} else {
			write_plain(o, ",");
		}
		write_server_id(o, table, i, server++);
		write_plain(o, "}");
	}
	write_plain(o, pod ? "]}]" : "");
}

static void write_table(struct out *o, const struct ranktable *table, bool pods)
{
	write_text(o, "{", "status", "completed");
	write_text(o, ",", "version", pods ? "1.2" : "1.0");
	write_number(o, ",", "server_count", count_servers(table));
	write_servers(o, table, pods);
	if (pods)
		write_pods(o, table);
	write_plain(o, "}\n");
}

int ranktable_text(const struct ranktable *table,
		   enum ranktable_version version, char **ret, size_t *ret_len,
		   struct err *err)
{
	struct out o = {.text = NULL};

	write_table(&o, table, version == RANKTABLE_1_2);
	if (o.failed || o.len > RANKTABLE_TEXT_MAX) {
		free(o.text);
		return o.failed ? err_memory(err)
				: err_printf(err,
					     "the rank table of %zu ranks has "
					     "%zu bytes; the library reads up "
					     "to %lu: use fewer processes",
					     table->n, o.len,
					     RANKTABLE_TEXT_MAX);
	}
	*ret = o.text;
	*ret_len = o.len;
	return 0;
}
