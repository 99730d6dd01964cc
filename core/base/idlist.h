/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A short list of device indices, as Slurm writes them: "0-3,7". The order is
 * kept: a device's place in the list is its number elsewhere (the runtime
 * counts along ASCEND_RT_VISIBLE_DEVICES, a process along the step's devices).
 * A set, which has no places, is core/base/idset.h.
 */
#pragma once

#include <stddef.h>

#define IDLIST_MAX    128 /* devices of one node */
#define IDLIST_ID_MAX 65535

struct idlist {
	unsigned n;
	unsigned short id[IDLIST_MAX];
};

/* Parse "0-3,7" (the empty text is the empty list). Returns 0, or -1 when the
 * text isn't such a list, has an id above IDLIST_ID_MAX or more than
 * IDLIST_MAX ids; *ret is untouched then. */
int idlist_parse(const char *text, struct idlist *ret);

/* The first place where `id` stands, or -1. */
int idlist_find(const struct idlist *list, unsigned id);

/* Write "0,1,2,7". Returns 0, or -1 when it doesn't fit. */
int idlist_format(const struct idlist *list, char *buf, size_t size);
