/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What runs in srun when the step exists and its tasks don't yet.
 *
 * srun alone can ask the controller about the whole step. What it learns goes
 * into its own environment, which Slurm sends to every task:
 * rank0.h (slurm/)	name and address of rank 0's node
 * ask_gres.h	devices of each node, where they differ
 * ask_procmap.h	which task is on which node
 * leave_alone.h	commands that the option isn't meant for
 * ask_features.h	features of the nodes, for profiles
 * srun_liveness.h	a port at which the launchers see that srun lives
 * Earlier, in slurm_spank_init, resv_ports.h and pmi.h look at srun's command
 * line (srun_prescan.h, cmdline.h) before srun has read it; so does
 * dist_option_compat.h, in sbatch and salloc too.
 *
 * plugin.c calls all of these. They run as the user who called srun, who could
 * write the same variables himself: the nodes trust none of them.
 */
#ifndef DT_SPANK_SRUN_HAND_OVER_H
#define DT_SPANK_SRUN_HAND_OVER_H

#include "core/base/err.h"
#include "spank/slurm/adapter.h"

/* In srun, when the step exists and its tasks don't yet: find out what no
 * node can know and hand it over through srun's environment. What fails here
 * makes every task end at once; the caller shows the error. */
int srun_hand_over(spank_t sp, const struct adapter *adapter, struct err *err);

#endif
