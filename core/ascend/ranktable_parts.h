/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pieces of ranktable_check(), each over a table whose rows are sorted by
 * rank. Not for others.
 */
#ifndef DT_CORE_ASCEND_RANKTABLE_PARTS_H
#define DT_CORE_ASCEND_RANKTABLE_PARTS_H

#include "core/ascend/ranktable.h"

/* Each returns 0, or -1 with the first fault. */
int ranktable_check_addresses(const struct ranktable *table, struct err *err);
int ranktable_check_pods(const struct ranktable *table, struct err *err);

/* What `auto` is for this table, or whether `asked` is possible. */
int ranktable_choose(const struct ranktable *table,
		     enum ranktable_version asked, enum ranktable_version *ret,
		     struct err *err);

#endif
