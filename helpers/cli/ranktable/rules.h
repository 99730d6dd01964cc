/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The collective library's rules for a rank table's file. Each of these
 * reports all faults that it finds; -1 is returned out of memory only.
 *
 * Sources of the rules: doc/design/0014-ranktable.md.
 */
#ifndef DT_HELPERS_CLI_RANKTABLE_RULES_H
#define DT_HELPERS_CLI_RANKTABLE_RULES_H

#include "helpers/cli/ranktable/table_view.h"

/* One form each: keys, types and limits; fills the view's entries. */
int rules_servers(struct view *view, struct report *r);
int rules_groups(struct view *view, struct report *r);
int rules_ranks(struct view *view, struct report *r);

/* super_pod_list of version 1.2, behind rules_servers(). */
int rules_pods(struct view *view, struct report *r);

/* A layer of version 2.0 as one rank has it. */
struct layer {
	uint32_t number;
	const char *id;
	unsigned naddresses;
	unsigned rank; /* index in rank_list */
};

struct layers {
	struct layer *layer;
	size_t n, size;
};

/* level_list of the rank at `at`; its layers are added. */
int rules_levels(struct report *r, const struct where *at, const cJSON *rank,
		 struct layers *layers);

/* What holds among all ranks' layers; frees them. */
void rules_layers(struct layers *layers, struct report *r);

/* A text that is one of the blank-separated words. */
void rules_word(struct report *r, const struct where *at, const cJSON *object,
		const char *key, bool needed, const char *words);

/* What holds among the entries of a form: ranks, devices, addresses. */
int rules_entries(const struct view *view, struct report *r);
int rules_addresses(const struct view *view, struct report *r);

/* All of them, by the version of view->root. CHIP_UNKNOWN: the version's. */
int rules_check(struct view *view, enum chip chip, struct report *r);

#endif
