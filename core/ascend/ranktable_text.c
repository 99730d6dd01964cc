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

struct text {
	char *p;
	size_t n, size;
	bool failed;
};

static void put(struct text *t, const char *word)
{
	size_t len = strlen(word), size = t->size ? t->size : 4096;
	char *p;

	if (t->failed)
		return;
	while (size - t->n <= len)
		size *= 2;
	if (size != t->size) {
		p = realloc(t->p, size);
		t->failed = !p;
		if (!p)
			return;
		t->p = p;
		t->size = size;
	}
	memcpy(t->p + t->n, word, len + 1);
	t->n += len;
}

/* `before`"NAME":"VALUE"; the rows' texts need no escapes. */
static void put_pair(struct text *t, const char *before, const char *name,
		     const char *value)
{
	put(t, before);
	put(t, "\"");
	put(t, name);
	put(t, "\":\"");
	put(t, value);
	put(t, "\"");
}

static void put_number(struct text *t, const char *before, const char *name,
		       size_t value)
{
	char number[24];

	snprintf(number, sizeof(number), "%zu", value);
	put_pair(t, before, name, number);
}

static void put_device(struct text *t, const struct ranktable_row *row,
		       bool pods)
{
	put_number(t, "\n{", "device_id", row->device_id);
	if (row->device_ip)
		put_pair(t, ",", "device_ip", row->device_ip);
	if (pods)
		put_number(t, ",", "super_device_id", row->super_device_id);
	put_number(t, ",", "rank_id", row->rank);
	put(t, "}");
}

static void put_server(struct text *t, const struct ranktable *table, size_t i,
		       size_t end, bool pods)
{
	const struct ranktable_row *first = table->row[i];

	put_pair(t, "\n{", "server_id", first->server_id);
	if (first->host_ip && first->device_ip)
		put_pair(t, ",", "host_ip", first->host_ip);
	put(t, ",\"device\":[");
	for (; i < end; i++) {
		put_device(t, table->row[i], pods);
		put(t, i + 1 < end ? "," : "]}");
	}
}

static void put_servers(struct text *t, const struct ranktable *table,
			bool pods)
{
	size_t end;

	put(t, ",\"server_list\":[");
	for (size_t i = 0; i < table->n; i = end) {
		end = ranktable_server_end(table, i);
		put_server(t, table, i, end, pods);
		put(t, end < table->n ? "," : "]");
	}
}

static void put_pods(struct text *t, const struct ranktable *table)
{
	const char *pod = NULL;

	for (size_t i = 0; i < table->n; i = ranktable_server_end(table, i)) {
		const struct ranktable_row *row = table->row[i];

		if (!pod || strcmp(pod, row->super_pod_id) != 0) {
			put(t, pod ? "]}," : ",\"super_pod_list\":[");
			pod = row->super_pod_id;
			put_pair(t, "\n{", "super_pod_id", pod);
			put(t, ",\"server_list\":[");
		} else {
			put(t, ",");
		}
		put_pair(t, "\n{", "server_id", row->server_id);
		put(t, "}");
	}
	put(t, pod ? "]}]" : "");
}

int ranktable_text(const struct ranktable *table,
		   enum ranktable_version version, char **ret, size_t *ret_len,
		   struct err *err)
{
	bool pods = version == RANKTABLE_1_2;
	struct text t = {0};

	put_pair(&t, "{", "status", "completed");
	put_pair(&t, ",", "version", pods ? "1.2" : "1.0");
	put_number(&t, ",", "server_count", ranktable_nservers(table));
	put_servers(&t, table, pods);
	if (pods)
		put_pods(&t, table);
	put(&t, "}\n");
	if (t.failed || t.n > RANKTABLE_TEXT_MAX) {
		free(t.p);
		return t.failed ? err_memory(err)
				: err_printf(err,
					     "the rank table of %zu ranks has "
					     "%zu bytes; the library reads up "
					     "to %lu: use fewer processes",
					     table->n, t.n, RANKTABLE_TEXT_MAX);
	}
	*ret = t.p;
	*ret_len = t.n;
	return 0;
}
