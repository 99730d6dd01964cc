/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set of small numbers: CPUs or NUMA nodes, as the kernel takes them in its
 * masks and writes them in sysfs ("0-3,8"). The devices of a node, whose order
 * counts, are a list: core/base/idlist.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define IDSET_MAX  4096
#define IDSET_BITS (8 * sizeof(unsigned long))

/* The words are a mask for the kernel: sched_setaffinity(), set_mempolicy(). */
struct idset {
	unsigned long word[IDSET_MAX / IDSET_BITS];
};

/* Parse "0-3,8" with blanks at the end (nothing is the empty set). Returns 0,
 * or -1 with *ret untouched when it isn't such a list or has an id of
 * IDSET_MAX or more. */
int idset_parse(const char *text, struct idset *ret);

/* Write "0-3,8". Returns 0, or -1 when it doesn't fit. */
int idset_format(const struct idset *set, char *buf, size_t size);

/* Ids of IDSET_MAX and more, and negative ones, are in no set. */
bool idset_has(const struct idset *set, int id);
void idset_add(struct idset *set, int id);

/* Add all of `other`; keep only those of `other`. */
void idset_unite(struct idset *set, const struct idset *other);
void idset_intersect(struct idset *set, const struct idset *other);

unsigned idset_count(const struct idset *set);

/* The first id from `from` on, or -1. */
int idset_next(const struct idset *set, int from);
