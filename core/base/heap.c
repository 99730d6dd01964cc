/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/heap.h"

#include <stdbool.h>
#include <stddef.h>

static bool comes_before(const struct heap_item *a, const struct heap_item *b)
{
	return a->number < b->number ||
	       (a->number == b->number && a->turn < b->turn);
}

/* Two trees become one; either may be NULL. */
static struct heap_item *meld(struct heap_item *a, struct heap_item *b)
{
	struct heap_item *top, *below;

	if (!a || !b)
		return a ? a : b;
	top = comes_before(a, b) ? a : b;
	below = top == a ? b : a;
	below->next = top->child;
	if (below->next)
		below->next->prev = below;
	below->prev = top;
	top->child = below;
	return top;
}

/* The trees of a list become one: neighbours first, then those pairs from the
 * last to the first. Without recursion, for a list may be long. */
static struct heap_item *meld_list(struct heap_item *list)
{
	struct heap_item *pairs = NULL, *all = NULL;

	while (list) {
		struct heap_item *a = list, *b = a->next, *pair;

		list = b ? b->next : NULL;
		a->next = NULL;
		if (b)
			b->next = NULL;
		pair = meld(a, b);
		pair->next = pairs;
		pairs = pair;
	}
	while (pairs) {
		struct heap_item *pair = pairs;

		pairs = pair->next;
		pair->next = NULL;
		all = meld(all, pair);
	}
	return all;
}

/* It is the smallest, or a tree by itself. */
static void set_first(struct heap *heap, struct heap_item *item)
{
	heap->first = item;
	if (!item)
		return;
	item->next = NULL;
	item->prev = NULL;
}

void heap_add(struct heap *heap, struct heap_item *item, uint64_t number)
{
	*item = (struct heap_item){.number = number, .turn = heap->turns++};
	set_first(heap, meld(heap->first, item));
}

/* Take the item, which isn't the first, out of the list that it is in. */
static void unlink_item(struct heap_item *item)
{
	if (item->prev->child == item)
		item->prev->child = item->next;
	else
		item->prev->next = item->next;
	if (item->next)
		item->next->prev = item->prev;
}

void heap_remove(struct heap *heap, struct heap_item *item)
{
	struct heap_item *rest = meld_list(item->child);

	if (item == heap->first) {
		set_first(heap, rest);
		return;
	}
	unlink_item(item);
	set_first(heap, meld(heap->first, rest));
}
