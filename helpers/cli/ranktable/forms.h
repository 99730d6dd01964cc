/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The forms of a rank table's file: keys, types and limits of each, and how it
 * fills the view's entries. What holds among entries is the business of the
 * rules (faults.c). All faults are reported; -1 is returned out of memory
 * only.
 *
 * Sources of the rules: doc/design/core-ascend.md.
 */
#ifndef DT_HELPERS_CLI_RANKTABLE_FORMS_H
#define DT_HELPERS_CLI_RANKTABLE_FORMS_H

#include "helpers/cli/ranktable/table_view.h"

/* server_list of 1.0 and 1.2, group_list without a version, rank_list of
 * 2.0. */
int form_servers(struct view *view, struct report *r);
int form_groups(struct view *view, struct report *r);
int form_ranks(struct view *view, struct report *r);

/* Report blanks at the ends of a server_id (NULL: there is none): the library
 * removes them where it groups devices, not where it compares names. */
void form_server_blanks(struct report *r, const struct where *at,
			const char *id);

/* super_pod_list of version 1.2, after form_servers(). */
int form_pods(struct view *view, struct report *r);

/* A layer of version 2.0 as one rank has it. */
struct layer {
	uint32_t number;
	const char *id;
	unsigned naddresses;
	unsigned rank; /* index in rank_list */
};

struct layers {
	struct layer *layer;
	size_t n;
};

/* level_list of the rank at `at`; its layers are added. */
int form_levels(struct view *view, struct report *r, const struct where *at,
		const cJSON *rank, struct layers *layers);

/* What holds among all ranks' layers; frees them. */
void form_layers(struct layers *layers, struct report *r);

/* Read view->doc.root in the form of its version, and check the rules.
 * CHIP_UNKNOWN: the chip of the version. */
int table_check(struct view *view, enum chip chip, struct report *r);

#endif
