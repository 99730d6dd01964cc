/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of the job's nodes have the features that the administrator's default
 * profiles name. slurmstepd doesn't know the features of its node.
 */
#ifndef DT_SPANK_SRUN_ASK_FEATURES_H
#define DT_SPANK_SRUN_ASK_FEATURES_H

#include "core/base/err.h"
#include "core/option/config.h"
#include "core/option/option.h"

/* In srun: "FEATURE=HOSTLIST;..." for the nodes
 * (core/option/profile_default.h), for the caller to free. *ret stays NULL, and
 * nobody is asked, where the user has chosen a profile or no default depends on
 * a feature; else that is one question to the controller. Returns 0 or -1. */
int ask_features(const struct request *request, const struct config *config,
		 char **ret, struct err *err);

#endif
