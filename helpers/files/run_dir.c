/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/files/files.h"

#include "sys/folder.h"
#include "sys/kept/marked_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define AS_FOLDER (O_RDONLY | O_DIRECTORY | O_CLOEXEC)
#define RANDOM	  "XXXXXX"
#define TRIES	  3

/* Where others can rename our folder, they can put theirs in its place. The
 * owner isn't asked for: in a container root may have any number. */
static int check_base(const char *base, const char *node, struct err *err)
{
	cleanup_close int fd = open(base, AS_FOLDER);

	if (fd < 0 || folder_keeps_names(fd))
		return 0; /* what is wrong with it shows below */
	return err_printf(err,
			  "no folder for the step's files in %s on %s: other "
			  "users may rename it there; chmod +t %s, or another "
			  "folder by the administrator's rundir=",
			  base, node, base);
}

/* Returns a descriptor of a new folder, as mkdtemp() names it, or -1. It is
 * ours to enter whatever the user's umask takes away. */
static int make_folder(char *path)
{
	mode_t old = umask(077);
	const char *made = mkdtemp(path);

	umask(old);
	return made ? open(path, AS_FOLDER | O_NOFOLLOW) : -1;
}

/* The lock says that the folder is in use. Whoever removes what was left may
 * have been faster: then nothing is there. */
static bool lock_folder(int fd)
{
	struct stat st;

	return flock(fd, LOCK_SH | LOCK_NB) == 0 && fstat(fd, &st) == 0 &&
	       st.st_nlink > 0;
}

/* Below `path`, which ends with the six X of mkdtemp(). */
static int make_locked(char path[PATH_MAX])
{
	char *random = path + strlen(path) - strlen(RANDOM);
	int fd;

	for (int i = 0; i < TRIES; i++) {
		strcpy(random, RANDOM);
		fd = make_folder(path);
		if (fd < 0)
			return -1;
		if (lock_folder(fd)) {
			marked_folder_mark(fd);
			return fd;
		}
		close(fd);
	}
	return -1;
}

/* A world's is in that of its step, and has a short name: Ray has sockets in
 * it, whose path has 107 bytes at most. */
static int name_folder(const char *base, const struct job *job,
		       char ret_path[PATH_MAX])
{
	char step[JOB_STEP_SIZE];

	if (job->world)
		return snprintf(ret_path, PATH_MAX, "%s/" RANDOM, base);
	return snprintf(ret_path, PATH_MAX, "%s/" RUN_DIR_PREFIX "%s-" RANDOM,
			base, job_step(job, step));
}

int run_dir_make(struct run_dir *dir, const char *base, const struct job *job,
		 struct err *err)
{
	char path[PATH_MAX];
	int n, fd = -1;

	if (!base)
		base = RUN_DIR_DEFAULT;
	if (check_base(base, job->node_name, err) < 0)
		return -1;
	n = name_folder(base, job, path);
	if (n > 0 && (size_t)n < sizeof(path))
		fd = make_locked(path);
	if (fd < 0)
		return err_printf(err,
				  "can't make a folder for the step's files in "
				  "%s on %s: %s; the administrator's rundir= "
				  "can name another folder",
				  base, job->node_name, strerror(errno));
	memcpy(dir->path, path, sizeof(path));
	dir->fd = fd;
	return 0;
}

void run_dir_remove(struct run_dir *dir)
{
	if (!*dir->path)
		return;
	folder_empty(dir->fd);
	close(dir->fd);
	rmdir(dir->path);
	*dir->path = '\0';
}
