/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the launchers of a step learn what only one of them knows: the choice
 * behind the key `exchange` (doc/design/0021-exchange.md).
 *
 * helpers/ranktable makes the file of a rank table from the rows of all nodes:
 * rows_wanted.h		whose rows a launcher tells
 * local_rows.h		these rows, which the driver is asked for in a child
 * rows_question.h	what it is asked
 * table_from_inventory.h	all rows from a file, without any exchange
 * exchange_pmix.h, pmix_client.h	the rows of all by Slurm's PMIx
 * ranktable_build.h	rows to the file, which is checked first
 * ranktable_shared.h	one file for launchers that see the same folder
 * node_memory.h	what the launchers of a node share
 *
 * helpers/launch calls all of it and carries rows through helpers/channel: here
 * bytes go in and come out. What a valid table is stands in core/ascend.
 * Everything runs in the launcher or its child, as the user.
 */
#ifndef DT_HELPERS_RANKTABLE_EXCHANGE_H
#define DT_HELPERS_RANKTABLE_EXCHANGE_H

#include "core/base/err.h"
#include "core/option/config.h"
#include "core/plan/plan.h"

enum exchange_way {
	EXCHANGE_BY_CHANNEL, /* through task 0's launcher
			     (helpers/channel/session.h) */
	EXCHANGE_BY_PMIX,    /* helpers/ranktable/exchange_pmix.h */
	EXCHANGE_BY_SELF,    /* not at all:
				helpers/ranktable/table_from_inventory.h */
};

/* Choose for this step. `split` says why its launchers can't meet, or is NULL
 * when they can. All launchers of a step choose the same. Fails when what was
 * asked for, or with `auto` everything, can't be had; the error says what
 * would work. */
int exchange_choose(const struct plan *plan, const struct config *config,
		    const char *split, enum exchange_way *ret, struct err *err);

#endif
