/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The collective library's rules for a rank table's file. Each of these
 * reports all faults that it finds; -1 is returned out of memory only.
 *
 * Sources of the rules: doc/design/0014-ranktable.md.
 */
#ifndef DT_HELPERS_RANKTABLE_RULES_H
#define DT_HELPERS_RANKTABLE_RULES_H

#include "helpers/ranktable_view.h"

/* One form each: keys, types and limits; fills the view's entries. */
int rules_servers(struct view *view, struct report *r);
int rules_groups(struct view *view, struct report *r);
int rules_ranks(struct view *view, struct report *r);

/* super_pod_list of version 1.2, behind rules_servers(). */
int rules_pods(struct view *view, struct report *r);

/* What holds among the entries of a form: ranks, devices, addresses. */
int rules_entries(const struct view *view, struct report *r);
int rules_addresses(const struct view *view, struct report *r);

/* All of them, by the version of view->root. CHIP_UNKNOWN: the version's. */
int rules_check(struct view *view, enum chip chip, struct report *r);

/* Report at an entry. */
#define RULES_FAULT(view, r, e, key, code, remedy, ...)                        \
	do {                                                                   \
		char path_[WHERE_TEXT_MAX];                                    \
                                                                               \
		view_path(view, e, key, path_);                                \
		report_path(r, path_, code, remedy, __VA_ARGS__);              \
	} while (0)

#endif
