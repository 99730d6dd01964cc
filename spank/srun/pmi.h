/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PMI for frameworks whose processes find each other through it: srun decides
 * before it reads options whether the step gets it.
 */
#ifndef DT_SPANK_SRUN_PMI_H
#define DT_SPANK_SRUN_PMI_H

#include "core/base/err.h"
#include "core/option/config.h"

/* In srun's slurm_spank_init: make PMIx the default of --mpi when the option
 * names a framework that needs it, or asks for exchange=pmix. --mpi,
 * SLURM_MPI_TYPE and the site's MpiDefault are stronger. */
void pmi_choose(const struct config *config);

/* In srun, when the step exists: fails, with the reason, when the step has no
 * PMI. `framework` is the name of the framework that needs it. */
int pmi_check(const char *framework, struct err *err);

/* The same for exchange=pmix, which accepts no other kind of PMI. */
int pmi_check_exchange(struct err *err);

#endif
