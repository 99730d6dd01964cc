/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a launcher leaves behind when it is killed (SIGKILL): its folder of
 * files, helpers/launch/run_dir.h. slurmstepd outlives it and has it removed.
 */
#ifndef DT_SPANK_NODE_STEP_CLEANUP_H
#define DT_SPANK_NODE_STEP_CLEANUP_H

#include "core/option/config.h"
#include "core/option/option.h"
#include "spank/slurm/step_job.h"

#include <limits.h>

/* Whose step it is, and what its folders are called. */
struct step_cleanup {
	bool on;
	uid_t uid;
	gid_t gid;
	unsigned nodeid;
	char base[PATH_MAX];
	char prefix[64];
};

/* Note what slurm_spank_exit can't ask for any more. */
void step_cleanup_prepare(spank_t sp, const struct config *config,
			  const struct request *request,
			  struct step_cleanup *ret);

/* A task has ended. When a signal ended its launcher, what its workers have
 * started is ended too: with Slurm's proctrack/linuxproc nobody else would,
 * once their parents are gone. */
void step_cleanup_task_ended(const struct step_cleanup *step_cleanup,
			     spank_t sp);

/* Remove the folders as the user, in a process of its own that nobody waits
 * for: the file system may be slow. */
void step_cleanup_run(const struct step_cleanup *step_cleanup);

#endif
