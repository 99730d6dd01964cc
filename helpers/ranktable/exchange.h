/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the launchers of a step learn what only one of them knows: the choice
 * behind the key `exchange` (doc/design/0021-exchange.md).
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
