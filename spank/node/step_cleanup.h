/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a launcher is killed (SIGKILL), what its processes have started and its
 * folder of files (helpers/files/run_dir.c) stay. slurmstepd outlives the
 * launcher, and ends the one and removes the other.
 */
#pragma once

#include "spank/slurm/adapter.h"
#include "spank/slurm/step_job.h"

#include <limits.h>

/* Whose step it is, and what its folders are called. */
struct step_cleanup {
	bool on;     /* there may be a launcher */
	bool folder; /* and it makes a folder */
	uid_t uid;
	gid_t gid;
	unsigned nrunning; /* tasks that haven't ended */
	unsigned nleft;	   /* that haven't ended by themselves: their launchers
			      may have left files */
	pid_t group;	   /* of all tasks; 0: the first one hasn't ended */
	bool killed;	   /* a signal has ended one of them */
	char base[PATH_MAX];
	char prefix[64];
};

/* Remember what slurm_spank_exit needs, because SPANK no longer answers there.
 * Nothing is to be done where there is no launcher. */
void step_cleanup_prepare(spank_t sp, const struct adapter *adapter,
			  struct step_cleanup *ret);

/* Call when a task has ended. After the last one of this node, if a signal
 * ended one of the launchers, this also ends what its processes have started:
 * with Slurm's proctrack/linuxproc nobody else ends them once their parents are
 * gone.
 */
void step_cleanup_task_ended(struct step_cleanup *step_cleanup, spank_t sp);

/* Remove the folders as the user, in a process of its own that nobody waits
 * for: the file system may be slow. The user may not stop that process. It
 * removes only what a launcher has made (sys/kept/marked_folder.h) and none
 * uses, below a folder in which others can't rename it, no folder in it of
 * another owner, and ends after a minute. What it can't remove stays; nobody is
 * told. Nothing is done when all tasks have ended by themselves: a launcher
 * removes its folder then, and a fork of slurmstepd isn't cheap. */
void step_cleanup_run(const struct step_cleanup *step_cleanup);
