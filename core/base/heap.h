/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Things in the order of a number, the smallest first; those with the same
 * number in the order in which they were added. A pairing heap: adding one is a
 * few steps however many there are, taking one out is about log n. It needs no
 * memory of its own: the item is part of what is kept, and stays in its place
 * while it is in.
 */
#pragma once

#include <stdint.h>

struct heap_item {
	uint64_t number, turn;
	struct heap_item *child, *next;
	struct heap_item *prev; /* the parent, for its first child */
};

/* As {0} when empty. */
struct heap {
	struct heap_item *first; /* the smallest; NULL: empty */
	uint64_t turns;
};

void heap_add(struct heap *heap, struct heap_item *item, uint64_t number);

/* One that is in the heap. */
void heap_remove(struct heap *heap, struct heap_item *item);
