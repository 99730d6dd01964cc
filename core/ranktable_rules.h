/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pieces of ranktable_check(), each over a table whose rows are sorted by
 * rank. Not for others.
 */
#ifndef DT_CORE_RANKTABLE_RULES_H
#define DT_CORE_RANKTABLE_RULES_H

#include "core/ranktable.h"

/* The chip of the step: the first that is known. */
enum chip ranktable_chip(const struct ranktable *table);

/* The first row behind the server that begins at `i`. */
size_t ranktable_server_end(const struct ranktable *table, size_t i);

/* How many servers, when each is one run of rows. */
size_t ranktable_nservers(const struct ranktable *table);

/* Each returns 0, or -1 with the first fault. */
int ranktable_check_addresses(const struct ranktable *table, struct err *err);
int ranktable_check_pods(const struct ranktable *table, struct err *err);

/* What `auto` is for this table, or whether `asked` is possible. */
int ranktable_choose(const struct ranktable *table,
		     enum ranktable_version asked, enum ranktable_version *ret,
		     struct err *err);

#endif
