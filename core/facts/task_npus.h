/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which NPUs a task's processes have, in the driver's numbers: as a launcher
 * has found them, who can ask the driver (helpers/npu/npu_task.h).
 */
#ifndef DT_CORE_FACTS_TASK_NPUS_H
#define DT_CORE_FACTS_TASK_NPUS_H

#include "core/base/idlist.h"

struct npu_task {
	struct idlist own;  /* physical, one for each of the processes */
	struct idlist step; /* the numbers by which a process of the step can
			       see all of the step's on this node, ascending */
	struct idlist at;   /* of each process, its place in `step` */
};

#endif
