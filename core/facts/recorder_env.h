/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The variables that let communication libraries record what they do
 * (doc/design/0097-recorders.md). All are hints: a user who has set up a
 * recorder keeps it.
 */
#ifndef DT_CORE_FACTS_RECORDER_ENV_H
#define DT_CORE_FACTS_RECORDER_ENV_H

#include "core/base/envset.h"

#include <stdbool.h>

/* In the folder: LIBRARY_rank_N, a rank's dump, and LIBRARY_rank_N.pipe, which
 * makes one when something is written to it. */
#define RECORDERS_TORCH "torch_rank_"
#define RECORDERS_HCCL	"hccl_rank_"

/* `folder` NULL: it isn't made yet. ras_port: NCCL's RAS is to answer there,
 * where devices are no NPUs. */
int recorder_env(const char *folder, bool npu, unsigned ras_port,
		 struct envset *set, struct err *err);

#endif
