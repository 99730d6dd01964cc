/* SPDX-License-Identifier: Apache-2.0 */
/* Shared memory and the folder for the step's files, as facts. */
#include "core/base/cleanup.h"
#include "helpers/check/node_facts.h"
#include "sys/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#define TRIAL_SIZE 4096

static unsigned long mib(const struct statvfs *fs, unsigned long blocks)
{
	return blocks * fs->f_frsize >> 20;
}

void facts_shm(int out)
{
	struct statvfs fs;

	if (statvfs("/dev/shm", &fs) < 0)
		dprintf(out, "shm -\n");
	else
		dprintf(out, "shm %lu %lu\n", mib(&fs, fs.f_blocks),
			mib(&fs, fs.f_bavail));
}

/* Returns 0, or -1 with errno. */
static int write_trial(const char *folder)
{
	static const char zeros[TRIAL_SIZE];
	char path[PATH_MAX];
	cleanup_close int fd = -1;
	int rc, why;

	snprintf(path, sizeof(path), "%.4000s/dist-train-check-XXXXXX", folder);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -1;
	rc = write_full(fd, zeros, sizeof(zeros));
	why = errno;
	unlink(path);
	errno = why;
	return rc;
}

void facts_run_dir(int out, const char *path)
{
	struct statvfs fs;

	if (write_trial(path) < 0 || statvfs(path, &fs) < 0)
		dprintf(out, "run-dir-fault %s: %s\n", path, strerror(errno));
	else /* a file system without a limit of files tells 0 of both */
		dprintf(out, "run-dir %lu %ld %s\n", mib(&fs, fs.f_bavail),
			fs.f_files ? (long)fs.f_favail : -1, path);
}
