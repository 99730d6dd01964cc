/* SPDX-License-Identifier: Apache-2.0 */
#include "core/ascend/ranktable.h"

#include "core/base/array.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE 65536UL

/* Rows, each before the texts that it doesn't share with the row before it. */
struct ranktable_block {
	struct ranktable_block *former;
	size_t used;
	_Alignas(struct ranktable_row) char bytes[BLOCK_SIZE];
};

/* A row and its texts fit: ranktable_row_check() holds their limits. */
_Static_assert(sizeof(struct ranktable_row) + RANKTABLE_LINE_MAX < BLOCK_SIZE,
	       "a row is larger than a block");

/* Room for a row with its longest texts; NULL out of memory. */
static char *find_room(struct ranktable *table)
{
	struct ranktable_block *block = table->block;

	if (!block || BLOCK_SIZE - block->used < sizeof(struct ranktable_row) +
							 RANKTABLE_LINE_MAX) {
		block = malloc(sizeof(*block));
		if (!block)
			return NULL;
		block->former = table->block;
		block->used = 0;
		table->block = block;
	}
	return block->bytes + block->used;
}

/* The text, or the same one of the row before; or a copy at *to, which moves
 * past it. */
static const char *copy_text(char **to, const char *text, const char *before)
{
	size_t size;
	char *copy = *to;

	if (!text || (before && !strcmp(text, before)))
		return text ? before : NULL;
	size = strlen(text) + 1;
	*to += size;
	return memcpy(copy, text, size);
}

static struct ranktable_row *copy_row(struct ranktable *table,
				      const struct ranktable_row *row)
{
	static const struct ranktable_row none = {.node = NULL};
	const struct ranktable_row *before =
		table->n ? table->row[table->n - 1] : &none;
	char *room = find_room(table), *to;
	struct ranktable_row *copy = (struct ranktable_row *)room;
	size_t align = _Alignof(struct ranktable_row);

	if (!room)
		return NULL;
	to = (char *)(copy + 1);
	*copy = *row;
	copy->node = copy_text(&to, row->node, before->node);
	copy->server_id = copy_text(&to, row->server_id, before->server_id);
	copy->host_ip = copy_text(&to, row->host_ip, before->host_ip);
	copy->device_ip = copy_text(&to, row->device_ip, NULL);
	copy->super_pod_id =
		copy_text(&to, row->super_pod_id, before->super_pod_id);
	table->block->used += ((size_t)(to - room) + align - 1) / align * align;
	return copy;
}

int ranktable_add(struct ranktable *table, const struct ranktable_row *row,
		  struct err *err)
{
	struct ranktable_row *copy;

	if (table->n == RANKTABLE_RANKS_MAX)
		return err_printf(err, "a rank table has at most %d ranks",
				  RANKTABLE_RANKS_MAX);
	copy = copy_row(table, row);
	if (!copy || !array_append(&table->row, table->n, sizeof(copy)))
		return err_memory(err);
	table->row[table->n++] = copy;
	return 0;
}

/* The rank beside the row, so that sorting doesn't visit the rows. */
struct ranked {
	unsigned rank;
	const struct ranktable_row *row;
};

static int compare_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

/* By rank; equal ones in an order that doesn't depend on who came first. */
static int compare_ranked(const void *pa, const void *pb)
{
	const struct ranked *ra = pa, *rb = pb;
	const struct ranktable_row *a = ra->row, *b = rb->row;
	int order;

	if (ra->rank != rb->rank)
		return ra->rank < rb->rank ? -1 : 1;
	order = compare_text(a->node, b->node);
	if (!order)
		order = compare_text(a->server_id, b->server_id);
	if (!order && a->device_id != b->device_id)
		order = a->device_id < b->device_id ? -1 : 1;
	return order ? order : compare_text(a->device_ip, b->device_ip);
}

static bool is_sorted(const struct ranktable *table)
{
	for (size_t i = 1; i < table->n; i++)
		if (table->row[i - 1]->rank >= table->row[i]->rank)
			return false;
	return true;
}

/* Each rule walks over the rows: in memory they are in order, too. */
int ranktable_sort(struct ranktable *table)
{
	struct ranktable sorted = {.numbered = table->numbered,
				   .container_ips = table->container_ips};
	cleanup_free struct ranked *ranked = NULL;
	struct err err;

	if (is_sorted(table))
		return 0;
	ranked = calloc(table->n, sizeof(*ranked));
	for (size_t i = 0; ranked && i < table->n; i++)
		ranked[i] = (struct ranked){table->row[i]->rank, table->row[i]};
	if (ranked)
		qsort(ranked, table->n, sizeof(*ranked), compare_ranked);
	for (size_t i = 0; ranked && i < table->n; i++)
		if (ranktable_add(&sorted, ranked[i].row, &err) < 0)
			break;
	if (!ranked || sorted.n < table->n) {
		ranktable_clear(&sorted);
		return -1;
	}
	ranktable_clear(table);
	*table = sorted;
	return 0;
}

void ranktable_clear(struct ranktable *table)
{
	struct ranktable_block *block = table->block, *former;

	for (; block; block = former) {
		former = block->former;
		free(block);
	}
	free(table->row);
	*table = (struct ranktable){0};
}
