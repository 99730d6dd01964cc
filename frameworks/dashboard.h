/* SPDX-License-Identifier: Apache-2.0 */
/* The key of those that have a dashboard: ray, whose file has it, and dask. */
#ifndef DT_FRAMEWORKS_DASHBOARD_H
#define DT_FRAMEWORKS_DASHBOARD_H

#include "core/option/option.h"

enum { DASHBOARD, DASHBOARD_NKEYS };

extern const struct option_key dashboard_keys[DASHBOARD_NKEYS + 1];

#endif
