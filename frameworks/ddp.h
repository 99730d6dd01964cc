/* SPDX-License-Identifier: Apache-2.0 */
/* The variables of init_method env://, for others that read them too. */
#ifndef DT_FRAMEWORKS_DDP_H
#define DT_FRAMEWORKS_DDP_H

#include "core/plan/framework.h"
#include "core/plan/plan.h"

/* As the member `env` of struct framework. */
int ddp_env(const struct plan *plan, const struct process *process,
	    struct envset *set, struct err *err);

#endif
