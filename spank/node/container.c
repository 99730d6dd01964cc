/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/node/container.h"

#include "paths.h"
#include "spank/slurm/secret.h"
#include "spank/slurm/step_job.h"
#include "sys/interfaces.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STATIC_LAUNCHER PKGLIBEXECDIR "/dist-train-launch-static"
#define AUTH_SOCKET	"/run/slurm/sack.socket"
#define ROOT		"/"

/* The root is the task's; the rest all tasks of the node inherit. */
static struct {
	struct stat root;
	bool known;
	char **env;
	int launcher_fd, socket_fd;
} outside = {.launcher_fd = -1, .socket_fd = -1};

/* One block: the array, and the texts behind it. NULL when out of memory:
 * every variable then counts as not set. */
static char **copy_env(char **env)
{
	size_t n = 0, bytes = 0;
	char **copy, *text;

	for (; env && env[n]; n++)
		bytes += strlen(env[n]) + 1;
	copy = malloc((n + 1) * sizeof(*copy) + bytes);
	if (!copy)
		return NULL;
	text = (char *)(copy + n + 1);
	for (size_t i = 0; i < n; i++) {
		copy[i] = text;
		text = stpcpy(text, env[i]) + 1;
	}
	copy[n] = NULL;
	return copy;
}

/* slurmd's own, of Slurm's authentication: root's, in a folder of root's, and
 * no link. -1: there is none. */
static int open_socket(void)
{
	int fd = open(AUTH_SOCKET, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat found;

	if (fd < 0)
		return -1;
	if (fstat(fd, &found) == 0 && S_ISSOCK(found.st_mode) &&
	    found.st_uid == 0)
		return fd;
	close(fd);
	return -1;
}

void container_prepare(spank_t sp)
{
	if (secret_needs_socket())
		outside.socket_fd = open_socket();
	outside.env = copy_env(job_env(sp));
	outside.launcher_fd = open(STATIC_LAUNCHER, O_PATH | O_CLOEXEC);
}

void container_forget(void)
{
	free(outside.env);
	outside.env = NULL;
	close_fd(&outside.launcher_fd);
	close_fd(&outside.socket_fd);
}

int container_socket(void)
{
	if (outside.socket_fd < 0 || fcntl(outside.socket_fd, F_SETFD, 0) < 0)
		return -1;
	return outside.socket_fd;
}

void container_remember_root(void)
{
	outside.known = stat(ROOT, &outside.root) == 0;
}

bool container_entered(void)
{
	struct stat now;

	return outside.known && stat(ROOT, &now) == 0 &&
	       (now.st_dev != outside.root.st_dev ||
		now.st_ino != outside.root.st_ino);
}

int container_reaches_nodes(const struct job *job, struct err *err)
{
	if (job->nnodes == 1 || !container_entered())
		return 0;
	return interfaces_reach_nodes(job->node_name, err);
}

/* SLURM_* is skipped: slurmstepd sets it for each task, after our copy of the
 * environment was made. */
bool container_is_steps(const struct env_entry *e)
{
	return env_kind_is_true(e->kind) && strncmp(e->name, "SLURM_", 6) != 0;
}

static int restore(spank_t sp, const char *name, struct err *err)
{
	const char *now = env_array_value(job_env(sp), name);
	const char *former = env_array_value(outside.env, name);

	if (now && former ? !strcmp(now, former) : !now && !former)
		return 0;
	return job_setenv(sp, name, former, err);
}

int container_restore(spank_t sp, const struct envset *set, struct err *err)
{
	if (!container_entered())
		return 0;
	for (size_t i = 0; i < set->n; i++) {
		const struct env_entry *e = &set->entry[i];

		if (container_is_steps(e) && restore(sp, e->name, err) < 0)
			return -1;
	}
	return 0;
}

bool container_has_launcher(void)
{
	return outside.launcher_fd >= 0;
}

int container_launcher(const char *node, char ret[LAUNCHER_INSIDE_SIZE],
		       struct err *err)
{
	if (outside.launcher_fd < 0)
		return err_printf(err,
				  "the launcher can't run in a container on "
				  "node %s: there is no " STATIC_LAUNCHER
				  "; install it there, or avoid the launcher "
				  "(procs=task)",
				  node);
	snprintf(ret, LAUNCHER_INSIDE_SIZE, "/proc/self/fd/%d",
		 outside.launcher_fd);
	if (access(ret, F_OK) == 0)
		return 0;
	return err_printf(err,
			  "the launcher can't run in this container on node "
			  "%s: the container has no /proc",
			  node);
}
