/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: what the launcher leaves in its folder for its processes, and they
 * for it. host_files.h has lists of nodes, cert_files.h the step's certificate,
 * error_file.h a worker's last exception. It knows plans and no launcher.
 *
 * The folder of one launcher's files: the user's alone (0700), with a name that
 * nobody can guess beforehand, removed at its end. While the launcher lives it
 * holds a shared lock (flock) on it, by which others know that it isn't left
 * over, and in it is a mark, by which they know that a launcher has made it
 * (sys/kept/marked_folder.h): helpers/cli/exec/exec_sweep.h,
 * spank/node/step_cleanup.h. No service gets it, for some open theirs to
 * everybody.
 */
#ifndef DT_HELPERS_FILES_RUN_DIR_H
#define DT_HELPERS_FILES_RUN_DIR_H

#include "core/base/err.h"
#include "core/facts/handover.h"
#include "core/facts/job.h"

#include <limits.h>

struct run_dir {
	char path[PATH_MAX]; /* "": there is none */
	int fd;		     /* of this folder, whatever is at `path` */
};

/* Make it below `base` (NULL: RUN_DIR_DEFAULT). Fails when it can't be made,
 * and when other users could rename it there. */
int run_dir_make(struct run_dir *dir, const char *base, const struct job *job,
		 struct err *err);

/* Remove it with all that is in it; what has been put at its path isn't
 * touched. */
void run_dir_remove(struct run_dir *dir);

#endif
