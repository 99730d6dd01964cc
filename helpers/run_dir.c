/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/run_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int run_dir_make(struct run_dir *dir, const char *base, const struct job *job,
		 struct err *err)
{
	char step[JOB_STEP_SIZE], path[PATH_MAX];
	int n;

	n = snprintf(path, sizeof(path), "%s/" RUN_DIR_PREFIX "%s-XXXXXX",
		     base ? base : RUN_DIR_DEFAULT, job_step(job, step));
	if (n < 0 || (size_t)n >= sizeof(path) || !mkdtemp(path))
		return err_printf(err,
				  "can't make a folder for the step's files in "
				  "%s on %s: %s; the administrator's rundir= "
				  "chooses another place",
				  base ? base : RUN_DIR_DEFAULT, job->node_name,
				  strerror(errno));
	memcpy(dir->path, path, sizeof(path));
	return 0;
}

void run_dir_remove(struct run_dir *dir)
{
	DIR *d = *dir->path ? opendir(dir->path) : NULL;
	struct dirent *e;

	while (d && (e = readdir(d)))
		unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	if (*dir->path)
		rmdir(dir->path);
	*dir->path = '\0';
}
