/* SPDX-License-Identifier: Apache-2.0 */
/* What an MPI program gets, for what is built on MPI. */
#ifndef DT_FRAMEWORKS_MPI_H
#define DT_FRAMEWORKS_MPI_H

#include "core/plan/framework.h"
#include "core/plan/plan.h"

/* As the members of struct framework. */
int mpi_check(const struct plan *plan, struct err *err);
int mpi_env(const struct plan *plan, const struct process *process,
	    struct envset *set, struct err *err);

#endif
