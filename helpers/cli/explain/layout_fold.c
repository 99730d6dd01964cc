/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/explain/layout.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct layout_item *items_of(const struct layout *l, unsigned node)
{
	return l->item + l->node[node].first;
}

/* By how much the number of an item grows from one node to the next. */
static unsigned stride(const struct layout *l, unsigned node)
{
	return items_of(l, node + 1)->number - items_of(l, node)->number;
}

/* Whether two nodes that follow each other differ in names and in numbers
 * alone, and these by `step`. */
static bool is_alike(const struct layout *l, unsigned node, unsigned step)
{
	const struct layout_node *a = &l->node[node], *b = a + 1;
	const struct layout_item *x = items_of(l, node);
	const struct layout_item *y = items_of(l, node + 1);

	if (a->nbars != b->nbars || a->ncells != b->ncells ||
	    a->spare != b->spare || strcmp(a->nic, b->nic) != 0)
		return false;
	for (size_t i = 0; i < (size_t)a->nbars + a->ncells; i++)
		if (x[i].kind != y[i].kind || x[i].role != y[i].role ||
		    x[i].local_rank != y[i].local_rank ||
		    x[i].crosses != y[i].crosses ||
		    strcmp(x[i].devices, y[i].devices) != 0 ||
		    (x[i].numbered && y[i].number - x[i].number != step))
			return false;
	return true;
}

/* Where the number at a name's end begins. */
static size_t number_at(const char *name)
{
	size_t n = strlen(name);

	while (n && isdigit((unsigned char)name[n - 1]))
		n--;
	return n;
}

/* "node[2-64]" where the names count, else "login ... gpu7". */
static char *fold_name(const char *first, const char *last, unsigned n)
{
	size_t at = number_at(first);
	bool counts =
		at == number_at(last) && first[at] && last[at] &&
		!strncmp(first, last, at) &&
		strtoul(last + at, NULL, 10) - strtoul(first + at, NULL, 10) ==
			n - 1;
	char *ret;

	if (counts) {
		if (asprintf(&ret, "%.*s[%s-%s]", (int)at, first, first + at,
			     last + at) < 0)
			return NULL;
	} else if (asprintf(&ret, "%s ... %s", first, last) < 0) {
		return NULL;
	}
	return ret;
}

/* Nodes from `first` to `last` become one, at `to`. */
static int fold(struct layout *l, unsigned to, unsigned first, unsigned last,
		struct err *err)
{
	struct layout_node node = l->node[first];
	const struct layout_item *end = items_of(l, last);

	if (first < last) {
		char *name = fold_name(node.name, l->node[last].name,
				       last - first + 1);

		if (!name)
			return err_memory(err);
		for (size_t i = 0; i < (size_t)node.nbars + node.ncells; i++)
			l->item[node.first + i].last = end[i].number;
		for (unsigned i = first; i <= last; i++) {
			free(l->node[i].name);
			l->node[i].name = NULL;
		}
		node.name = name;
		node.equal = last - first + 1;
	}
	if (to != first)
		l->node[first].name = NULL;
	l->node[to] = node;
	return 0;
}

int layout_fold(struct layout *l, struct err *err)
{
	unsigned to = 1, last;

	for (unsigned first = 1; first < l->nnodes; first = last + 1) {
		unsigned step;

		last = first;
		step = last + 1 < l->nnodes ? stride(l, first) : 0;
		while (last + 1 < l->nnodes && is_alike(l, last, step))
			last++;
		if (fold(l, to, first, last, err) < 0)
			return -1;
		to++;
	}
	l->nnodes = l->nnodes ? to : 0;
	return 0;
}
