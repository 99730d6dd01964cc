/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/hostlist.h"

#include "core/base/parse.h"
#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

static int put_name(void *arg, const char *name)
{
	return fwrite(name, strlen(name) + 1, 1, arg) == 1 ? 0 : -1;
}

/* All names, each with its NUL. Not hostlist_nth() for each, which would read
 * the whole text each time. */
static char *expand(const char *list)
{
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);
	int rc = f ? hostlist_each(list, put_name, f) : -1;
	char *text = text_stream_take(&stream);

	if (rc == 0)
		return text;
	free(text);
	return NULL;
}

/* By name; equal names by their position in the list. */
static int compare(const void *a, const void *b)
{
	const struct hostindex_entry *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->index > y->index) - (x->index < y->index);
}

static int fill(const char *list, struct hostindex *index)
{
	const char *name = index->text = expand(list);

	index->name = calloc(index->n, sizeof(*index->name));
	index->entry = calloc(index->n, sizeof(*index->entry));
	if (!index->text || !index->name || !index->entry)
		return -1;
	for (unsigned i = 0; i < index->n; i++) {
		index->name[i] = name;
		index->entry[i] = (struct hostindex_entry){name, i};
		name += strlen(name) + 1;
	}
	qsort(index->entry, index->n, sizeof(*index->entry), compare);
	return 0;
}

int hostindex_make(const char *list, struct hostindex *ret, struct err *err)
{
	struct hostindex index = {0};
	char shown[SHOW_SIZE];

	if (hostlist_count(list, &index.n) < 0)
		return err_printf(err, "%s isn't a list of nodes",
				  show(shown, list));
	if (fill(list, &index) < 0) {
		hostindex_clear(&index);
		return err_memory(err);
	}
	*ret = index;
	return 0;
}

void hostindex_clear(struct hostindex *index)
{
	free(index->text);
	free(index->name);
	free(index->entry);
	*index = (struct hostindex){0};
}

int hostindex_find(const struct hostindex *index, const char *name,
		   unsigned *ret)
{
	unsigned low = 0, high = index->n;

	while (low < high) {
		unsigned mid = low + (high - low) / 2;

		if (strcmp(index->entry[mid].name, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == index->n || strcmp(index->entry[low].name, name) != 0)
		return -1;
	*ret = index->entry[low].index;
	return 0;
}
