/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This room: what the launcher leaves in its folder for its processes, and they
 * for it. host_files.c has lists of nodes and the step's certificate,
 * error_file.c a worker's last exception. It knows plans and no launcher.
 *
 * The folder of one launcher's files: the user's alone (0700), with a name that
 * nobody can guess beforehand, removed at its end. While the launcher lives it
 * holds a shared lock (flock) on it, by which others know that it isn't left
 * over, and in it is a mark, by which they know that a launcher has made it
 * (sys/kept/marked_folder.h): helpers/cli/exec/exec_cmd.c,
 * spank/node/step_cleanup.h. No service gets it, for some open theirs to
 * everybody.
 */
#pragma once

#include "core/base/err.h"
#include "core/facts/handover.h"
#include "core/facts/job.h"
#include "core/plan/plan.h"

#include <limits.h>
#include <stddef.h>

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

/*
 * What a launcher of the user's, such as mpirun, needs to reach the nodes of
 * the step: lists of them, and a program that looks like ssh.
 */

struct host_files {
	char hosts[PATH_MAX], machines[PATH_MAX]; /* "": not made */
	char rsh[PATH_MAX + 16];		  /* the stand-in for ssh */
	char agent[PATH_MAX + 24]; /* the same for other nodes: maybe words */
};

/* Make them in `dir`, and a link `ssh` to the stand-in; in a bundle, which has
 * it in itself, one of its own name, too. Fails when the nodes aren't known, a
 * file can't be written, or the stand-in isn't installed. */
int host_files_make(const char *dir, const struct plan *plan,
		    struct host_files *ret, struct err *err);

/* Put their names into the plan, if they were made. */
void host_files_tell(const struct host_files *files, struct plan *plan);

/*
 * The step's certificate and its key as files, for services that speak TLS
 * (helpers/conn/step_cert.h). start_service.c makes them, when it has made the
 * secret.
 */

struct cert_files {
	char cert[PATH_MAX], key[PATH_MAX]; /* "": not made */
};

/* Make them in `dir`, for the user alone, of the services' secret; with this
 * node's address where the plan has all of them (NEEDS_PEERS). Fails when the
 * address isn't known or no IP address, or a file can't be written. */
int cert_files_make(const char *dir, const char *secret,
		    const struct plan *plan, struct cert_files *ret,
		    struct err *err);

/* Put their names into the plan, if they were made. */
void cert_files_tell(const struct cert_files *files, struct plan *plan);

/*
 * The file in which PyTorch leaves a worker's exception, when its program uses
 * torch.distributed.elastic's @record: torch/distributed/elastic/
 * multiprocessing/errors/error_handler.py, of 1.13 to 2.14.
 */

/* Where the process of that rank may leave it, in the folder `dir`: each round
 * has a file of its own. Returns buf. */
#define ERROR_FILE_SIZE (PATH_MAX + 32)
const char *error_file_path(const char *dir, unsigned rank, unsigned round,
			    char buf[ERROR_FILE_SIZE]);

/* "RuntimeError: what it said" on one line, cut to `size`, with bytes that
 * don't print as '?'; "" when there is no such file or it says nothing. Returns
 * buf. */
const char *error_file_read(const char *path, char *buf, size_t size);
