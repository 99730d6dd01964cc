/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/ranktable/table_view.h"

#include "core/base/array.h"

#include <stdlib.h>
#include <string.h>

struct entry *view_add(struct view *view, const struct entry *like)
{
	struct entry *entry =
		array_append(&view->entry, view->n, sizeof(*entry));

	if (!entry)
		return NULL;
	view->n++;
	*entry = *like;
	return entry;
}

void view_path(const struct view *view, const struct ranktable_row *row,
	       const char *key, char buf[WHERE_TEXT_MAX])
{
	const struct entry *e = (const struct entry *)row;
	const char *dot = key ? "." : "";

	if (!key)
		key = "";
	if (view->form == FORM_SERVERS)
		snprintf(buf, WHERE_TEXT_MAX, "server_list[%u].device[%u]%s%s",
			 e->at[0], e->at[1], dot, key);
	else if (view->form == FORM_RANKS)
		snprintf(buf, WHERE_TEXT_MAX, "rank_list[%u]%s%s", e->at[0],
			 dot, key);
	else if (!strcmp(key, "rank_id") || !strcmp(key, "server_id"))
		snprintf(buf, WHERE_TEXT_MAX,
			 "group_list[%u].instance_list[%u]%s%s", e->at[0],
			 e->at[1], dot, key);
	else
		snprintf(buf, WHERE_TEXT_MAX,
			 "group_list[%u].instance_list[%u].devices[%u]%s%s",
			 e->at[0], e->at[1], e->at[2], dot, key);
}

/* Entries lie in one array, so that addresses are the file's order. */
static int by_rank(const void *pa, const void *pb)
{
	const struct ranktable_row *a = *(struct ranktable_row *const *)pa;
	const struct ranktable_row *b = *(struct ranktable_row *const *)pb;

	if (a->rank_unknown != b->rank_unknown)
		return a->rank_unknown ? 1 : -1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a < b ? -1 : a > b;
}

static int by_device(const void *pa, const void *pb)
{
	const struct ranktable_row *a = *(struct ranktable_row *const *)pa;
	const struct ranktable_row *b = *(struct ranktable_row *const *)pb;
	int order = strcmp(a->server_id ? a->server_id : "",
			   b->server_id ? b->server_id : "");

	if (order)
		return order;
	if (a->device_id != b->device_id)
		return a->device_id < b->device_id ? -1 : 1;
	return a < b ? -1 : a > b;
}

struct ranktable_row **view_sorted(const struct view *view,
				   enum view_order order)
{
	struct ranktable_row **sorted =
		calloc(view->n + 1, sizeof(struct ranktable_row *));

	if (!sorted)
		return NULL;
	for (size_t i = 0; i < view->n; i++)
		sorted[i] = &view->entry[i].row;
	sort_items(sorted, view->n, sizeof(struct ranktable_row *),
		   order == VIEW_BY_RANK ? by_rank : by_device);
	return sorted;
}

void view_clear(struct view *view)
{
	document_clear(&view->doc);
	free(view->entry);
	*view = (struct view){0};
}
