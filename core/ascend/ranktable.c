/* SPDX-License-Identifier: Apache-2.0 */
#include "core/ascend/ranktable.h"

#include <stdlib.h>
#include <string.h>

static size_t text_size(const char *text)
{
	return text ? strlen(text) + 1 : 0;
}

/* Copy the text to *to and move past it. */
static const char *copy_text(char **to, const char *text)
{
	size_t size = text_size(text);
	char *copy = *to;

	if (!text)
		return NULL;
	*to += size;
	return memcpy(copy, text, size);
}

/* The copy's texts lie after it. */
static struct ranktable_row *copy_row(const struct ranktable_row *row)
{
	size_t texts = text_size(row->node) + text_size(row->server_id) +
		       text_size(row->host_ip) + text_size(row->device_ip) +
		       text_size(row->super_pod_id);
	struct ranktable_row *copy = malloc(sizeof(*row) + texts);
	char *to = (char *)(copy + 1);

	if (!copy)
		return NULL;
	*copy = *row;
	copy->node = copy_text(&to, row->node);
	copy->server_id = copy_text(&to, row->server_id);
	copy->host_ip = copy_text(&to, row->host_ip);
	copy->device_ip = copy_text(&to, row->device_ip);
	copy->super_pod_id = copy_text(&to, row->super_pod_id);
	return copy;
}

static int make_room(struct ranktable *table, struct err *err)
{
	size_t size = table->size ? table->size * 2 : 64;
	struct ranktable_row **row;

	if (table->n == RANKTABLE_RANKS_MAX)
		return err_printf(err, "a rank table has at most %d ranks",
				  RANKTABLE_RANKS_MAX);
	if (table->n < table->size)
		return 0;
	row = realloc(table->row, size * sizeof(struct ranktable_row *));
	if (!row)
		return err_memory(err);
	table->row = row;
	table->size = size;
	return 0;
}

int ranktable_add(struct ranktable *table, const struct ranktable_row *row,
		  struct err *err)
{
	struct ranktable_row *copy;

	if (make_room(table, err) < 0)
		return -1;
	copy = copy_row(row);
	if (!copy)
		return err_memory(err);
	table->row[table->n++] = copy;
	return 0;
}

void ranktable_clear(struct ranktable *table)
{
	for (size_t i = 0; i < table->n; i++)
		free(table->row[i]);
	free(table->row);
	*table = (struct ranktable){0};
}
