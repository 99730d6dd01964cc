/* SPDX-License-Identifier: Apache-2.0 */
/* What the plugin has handed over to a program of ours (core/facts/handover.h),
 * whole: the administrator's settings, the request, and the facts of the task.
 * Pure. */
#ifndef DT_REGISTRY_HANDED_H
#define DT_REGISTRY_HANDED_H

#include "core/base/envset.h"
#include "core/base/err.h"
#include "core/facts/job.h"
#include "core/option/config.h"
#include "core/option/option.h"

/* Read it through `lookup`. Returns 0 or -1; in both cases job_clear(),
 * request_clear() and config_clear(), on what was zero before. */
int handed_read(env_lookup_fn lookup, void *arg, struct config *config,
		struct request *request, struct job *job, struct err *err);

#endif
