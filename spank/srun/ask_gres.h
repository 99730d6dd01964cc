/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices as srun learns them from the controller. A node can't know how
 * many devices the other nodes have, and which of its generic devices (gres
 * without a plugin, such as npu) belong to the step.
 */
#ifndef DT_SPANK_SRUN_ASK_GRES_H
#define DT_SPANK_SRUN_ASK_GRES_H

#include "core/base/err.h"
#include "core/plan/resolve.h"
#include "spank/slurm/step_job.h"

#include <stdbool.h>

struct gres {
	char *counts;  /* devices by task, "8(x2),4", or NULL */
	char *indices; /* "node[1-2]:0-7;node3:0", or NULL */
	bool generic;  /* the step has devices that are generic */
};

/* Whether the step may have generic devices that are accelerators: slurm.conf
 * has some, and srun doesn't know better (own_job.h). */
bool gres_may_be_generic(void);

/* What the caller needs besides the indices of generic devices. */
struct ask_gres_wish {
	bool counts;  /* by task: the step has one task per node */
	bool indices; /* of GPUs too, if Slurm tells them */
	bool must;    /* fail if Slurm doesn't say them */
};

/* Ask the controller. Fails when the controller doesn't answer or Slurm doesn't
 * tell which devices the step has. Free with gres_clear(). */
int ask_gres(const struct srun_step *step, const struct ask_gres_wish *wish,
	     struct gres *ret, struct err *err);

/* Whether the step may have devices that the inventory tells a domain of: NPUs,
 * or what Slurm calls gpu. */
bool gres_may_have_domain(const struct gres *gres,
			  const struct resolved *resolved);

void gres_clear(struct gres *gres);

#endif
