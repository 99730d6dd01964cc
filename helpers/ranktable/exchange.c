/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/ranktable/exchange.h"

#include "helpers/ranktable/exchange_pmix.h"

#define REMEDY                                                                 \
	"use srun --mpi=pmix with exchange=pmix, or exchange=none with an "    \
	"inventory= of the administrator"

static int choose_pmix(enum exchange_way *ret, struct err *err)
{
	*ret = EXCHANGE_BY_PMIX;
	if (exchange_pmix_is_here())
		return 0;
	return err_printf(err,
			  "exchange=pmix: this step has no PMIx; ask for it "
			  "with srun --mpi=pmix, if srun --mpi=list shows it");
}

static int choose_none(const struct plan *plan, const struct config *config,
		       enum exchange_way *ret, struct err *err)
{
	*ret = EXCHANGE_BY_SELF;
	if (plan->nnodes == 1 || config->inventory)
		return 0;
	return err_printf(err,
			  "exchange=none: the addresses of other nodes' NPUs "
			  "come from the administrator's inventory=, which "
			  "isn't set; use exchange=auto to ask the nodes");
}

static int refuse_split(const char *asked, const char *split, struct err *err)
{
	return err_printf(err,
			  "%sthe nodes of the step can't tell each other the "
			  "addresses of their NPUs: %s; " REMEDY,
			  asked, split);
}

static int choose_any(const struct plan *plan, const struct config *config,
		      const char *split, enum exchange_way *ret,
		      struct err *err)
{
	*ret = EXCHANGE_BY_CHANNEL;
	if (!split)
		return 0;
	*ret = EXCHANGE_BY_SELF;
	if (plan->nnodes == 1)
		return 0;
	if (plan->resolved.exchange & EXCHANGE_MAY_PMIX &&
	    exchange_pmix_is_here())
		*ret = EXCHANGE_BY_PMIX;
	else if (!config->inventory)
		return refuse_split("", split, err);
	return 0;
}

int exchange_choose(const struct plan *plan, const struct config *config,
		    const char *split, enum exchange_way *ret, struct err *err)
{
	if (plan->job->ntasks == 1) {
		*ret = EXCHANGE_BY_CHANNEL; /* of one */
		return 0;
	}
	switch (plan->resolved.exchange) {
	case EXCHANGE_MAY_PMIX:
		return choose_pmix(ret, err);
	case EXCHANGE_MAY_INVENTORY:
		return choose_none(plan, config, ret, err);
	case EXCHANGE_MAY_TCP:
		*ret = EXCHANGE_BY_CHANNEL;
		return split ? refuse_split("exchange=tcp: ", split, err) : 0;
	default:
		return choose_any(plan, config, split, ret, err);
	}
}
