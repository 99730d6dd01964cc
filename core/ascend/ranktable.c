/* SPDX-License-Identifier: Apache-2.0 */
#include "core/ascend/ranktable.h"

#include <stdlib.h>
#include <string.h>

/* The texts of a row, which its copy keeps behind itself. */
static const size_t texts[] = {
	offsetof(struct ranktable_row, node),
	offsetof(struct ranktable_row, server_id),
	offsetof(struct ranktable_row, host_ip),
	offsetof(struct ranktable_row, device_ip),
	offsetof(struct ranktable_row, super_pod_id),
};

#define NTEXTS (sizeof(texts) / sizeof(texts[0]))

static size_t text_size(const char *text)
{
	return text ? strlen(text) + 1 : 0;
}

static struct ranktable_row *copy_row(const struct ranktable_row *row)
{
	size_t size = sizeof(*row);
	struct ranktable_row *copy;
	const char *text;
	char *to;

	for (size_t i = 0; i < NTEXTS; i++) {
		memcpy(&text, (const char *)row + texts[i], sizeof(text));
		size += text_size(text);
	}
	copy = malloc(size);
	if (!copy)
		return NULL;
	*copy = *row;
	to = (char *)(copy + 1);
	for (size_t i = 0; i < NTEXTS; i++) {
		memcpy(&text, (const char *)row + texts[i], sizeof(text));
		if (!text)
			continue;
		memcpy(to, text, text_size(text));
		memcpy((char *)copy + texts[i], &to, sizeof(to));
		to += text_size(text);
	}
	return copy;
}

static int grow(struct ranktable *table, struct err *err)
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

	if (grow(table, err) < 0)
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

enum chip ranktable_chip(const struct ranktable *table)
{
	for (size_t i = 0; i < table->n; i++)
		if (table->row[i]->chip != CHIP_UNKNOWN)
			return table->row[i]->chip;
	return CHIP_UNKNOWN;
}

size_t ranktable_server_end(const struct ranktable *table, size_t i)
{
	const char *server = table->row[i]->server_id;

	while (i < table->n && !strcmp(table->row[i]->server_id, server))
		i++;
	return i;
}

size_t ranktable_nservers(const struct ranktable *table)
{
	size_t n = 0;

	for (size_t i = 0; i < table->n; i = ranktable_server_end(table, i))
		n++;
	return n;
}
