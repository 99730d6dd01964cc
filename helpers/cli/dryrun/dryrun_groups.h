/* SPDX-License-Identifier: Apache-2.0 */
/* The parallel groups of a step that isn't there (key groups). */
#ifndef DT_HELPERS_CLI_DRYRUN_DRYRUN_GROUPS_H
#define DT_HELPERS_CLI_DRYRUN_DRYRUN_GROUPS_H

#include "core/groups/groups_seen.h"
#include "helpers/cli/dryrun/dryrun_step.h"

/* Refuse what srun would refuse of them; groups-strict where a topology is
 * given. The view has a task. */
int dryrun_groups_check(const struct dryrun_view *view, struct err *err);

/* Count them in the view's step; nothing is in *ret without the key, and no
 * level is known without a topology. Fails when the sizes don't fit, and when
 * out of memory. groups_report_clear(). */
int dryrun_groups_count(const struct dryrun_view *view,
			struct groups_report *ret, struct err *err);

/* The same, and which ranks are in a group that crosses. */
struct dryrun_groups {
	struct groups_report report;
	unsigned char *mark; /* groups_mark(); NULL: none is */
};

int dryrun_groups_mark(const struct dryrun_view *view,
		       struct dryrun_groups *ret, struct err *err);
void dryrun_groups_clear(struct dryrun_groups *groups);

/* The kinds of which the group of `rank` crosses, bit by bit; 0 for a rank that
 * there isn't, or is on another node than `node`. */
unsigned dryrun_groups_of(const struct dryrun_groups *groups, unsigned rank,
			  unsigned node);

#endif
