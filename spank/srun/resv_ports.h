/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ports that Slurm reserves for a step, where it would reserve too few by
 * itself: one more than a node has tasks.
 */
#ifndef DT_SPANK_SRUN_RESV_PORTS_H
#define DT_SPANK_SRUN_RESV_PORTS_H

#include "core/option/config.h"

/* In srun's slurm_spank_init: make as many as the launchers' processes will
 * need the default of --resv-ports, as far as that can be told, and where
 * MpiParams has a range of that size. --resv-ports and SLURM_RESV_PORTS are
 * stronger. */
void resv_ports_choose(const struct config *config);

#endif
