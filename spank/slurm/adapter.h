/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the plugin knows in the process that has loaded it: filled by the
 * early hooks, used by the later ones.
 */
#ifndef DT_SPANK_SLURM_ADAPTER_H
#define DT_SPANK_SLURM_ADAPTER_H

#include "core/base/err.h"
#include "core/option/config.h"
#include "core/option/option.h"
#include "sys/route.h"

#include <slurm/spank.h>
#include <stdbool.h>

struct adapter {
	const char *option_text; /* as given; NULL: not asked for */
	char *config_text; /* the arguments, one a line, for the launcher */
	struct config config;
	struct request request; /* framework NULL: nothing to do */
	struct route route;	/* to rank 0, in slurmstepd */
	char *hccn_conf;	/* text of /etc/hccn.conf, where needed */
	int barrier_fd;		/* for the launchers of a node, or -1 */
	bool later_plugin;	/* another plugin's task_init follows ours */
	bool failed;		/* `err` says why; raised in task_init */
	struct err err;
};

#endif
