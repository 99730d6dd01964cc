/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/launch/run_dir.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NFTW_FDS 16

int run_dir_make(struct run_dir *dir, const char *base, const struct job *job,
		 struct err *err)
{
	char step[JOB_STEP_SIZE], node[24] = "", path[PATH_MAX];
	int n;

	/* Components of a heterogeneous step count their nodes otherwise than
	 * SPANK does. */
	if (!getenv("SLURM_HET_SIZE"))
		snprintf(node, sizeof(node), RUN_DIR_NODE "%u-", job->nodeid);
	n = snprintf(path, sizeof(path), "%s/" RUN_DIR_PREFIX "%s-%sXXXXXX",
		     base ? base : RUN_DIR_DEFAULT, job_step(job, step), node);
	if (n < 0 || (size_t)n >= sizeof(path) || !mkdtemp(path))
		return err_printf(err,
				  "can't make a folder for the step's files in "
				  "%s on %s: %s; the administrator's rundir= "
				  "can name another folder",
				  base ? base : RUN_DIR_DEFAULT, job->node_name,
				  strerror(errno));
	memcpy(dir->path, path, sizeof(path));
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	remove(path);
	return 0;
}

void run_dir_remove(struct run_dir *dir)
{
	if (*dir->path)
		nftw(dir->path, remove_one, NFTW_FDS, FTW_DEPTH | FTW_PHYS);
	*dir->path = '\0';
}
