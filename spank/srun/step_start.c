/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/srun/step_start.h"

#include "core/base/cleanup.h"
#include "core/facts/port.h"
#include "paths.h"
#include "spank/slurm/slurmctld.h"
#include "sys/socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define PROGRAM PKGLIBEXECDIR "/dist-train-step"

/* What the program finds where (helpers/step/dist-train-step.c); none of ours
 * is at these numbers while it starts. */
enum { PORT_FD = 3, FACTS_FD, LINE_FD, FIRST_FREE_FD };

extern char **environ;

/* --- ports --- */

/* In Slurm's range, or at any free port. */
static int listen_somewhere(void)
{
	unsigned min, max, at, pid = (unsigned)getpid();
	int fd = -1;

	if (!slurmctld_srun_ports(&min, &max))
		return socket_listen(NULL, 0, SOMAXCONN);
	for (unsigned try = 0;
	     fd < 0 && (at = port_beside_srun(pid, min, max, try)) != 0; try++)
		fd = socket_listen(NULL, at, SOMAXCONN);
	return fd;
}

/* Where commands look for it. */
static int listen_for_launchers(const struct step_start *step)
{
	unsigned min, max, at;
	int fd = -1;

	if (slurmctld_srun_ports(&min, &max))
		return listen_somewhere();
	for (unsigned try = 0; fd < 0 && (at = step->port(step->arg, try)) != 0;
	     try++)
		fd = socket_listen(NULL, at, SOMAXCONN);
	return fd;
}

static int number_of(int fd, unsigned *ret, struct err *err)
{
	struct sockaddr_in6 any = {0};
	socklen_t len = sizeof(any);

	if (fd < 0 || getsockname(fd, (struct sockaddr *)&any, &len) < 0) {
		if (fd >= 0)
			close(fd);
		return err_printf(err, "no port: %s", strerror(errno));
	}
	*ret = ntohs(any.sin6_port); /* in the same place for both families */
	return fd;
}

/* --- the program --- */

/* Out of the way of the numbers at which it finds them. */
static int move_up(int fd)
{
	int up = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD);

	close(fd);
	return up;
}

/* Its environment is srun's, without what is for the user's programs. */
static char **make_env(void)
{
	size_t n = 0, at = 0;
	char **env;

	while (environ[n])
		n++;
	env = calloc(n + 1, sizeof(*env));
	for (size_t i = 0; env && i < n; i++)
		if (strncmp(environ[i], "LD_", 3) != 0)
			env[at++] = environ[i];
	return env;
}

static int add_actions(posix_spawn_file_actions_t *actions, const int fd[3])
{
	int rc = posix_spawn_file_actions_init(actions);

	for (int i = 0; rc == 0 && i < 3; i++)
		rc = posix_spawn_file_actions_addopen(actions, i, "/dev/null",
						      O_RDWR, 0);
	for (int i = 0; rc == 0 && i < 3; i++)
		rc = posix_spawn_file_actions_adddup2(actions, fd[i],
						      PORT_FD + i);
	return rc;
}

/* A group of its own: neither the terminal nor Slurm signals it. */
static int add_attributes(posix_spawnattr_t *attr)
{
	sigset_t none, all;
	int rc = posix_spawnattr_init(attr);

	sigemptyset(&none);
	sigfillset(&all);
	if (rc == 0)
		rc = posix_spawnattr_setflags(
			attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
				      POSIX_SPAWN_SETSIGDEF);
	if (rc == 0)
		rc = posix_spawnattr_setsigmask(attr, &none);
	return rc ? rc : posix_spawnattr_setsigdefault(attr, &all);
}

static int spawn(const char *name, const int fd[3], struct err *err)
{
	char *const argv[] = {(char *)"dist-train-step", (char *)name, NULL};
	cleanup_free char **env = make_env();
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	pid_t pid;
	int rc;

	if (!env)
		return err_memory(err);
	rc = add_actions(&actions, fd);
	if (rc == 0)
		rc = add_attributes(&attr);
	if (rc == 0)
		rc = posix_spawn(&pid, PROGRAM, &actions, &attr, argv, env);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	return rc ? err_printf(err, "%s: %s", PROGRAM, strerror(rc)) : 0;
}

/* It is all in the line before the program starts. */
static int tell_secret(int line_fd, const struct step_start *step)
{
	struct iovec parts[] = {
		{(void *)step->secret, sizeof(*step->secret)},
		{(void *)step->credential, strlen(step->credential)},
	};
	ssize_t n = (ssize_t)(parts[0].iov_len + parts[1].iov_len);

	return writev(line_fd, parts, 2) == n ? 0 : -1;
}

static void close_all(int fd[3])
{
	for (int i = 0; i < 3; i++)
		if (fd[i] >= 0)
			close(fd[i]);
}

int step_start(const struct step_start *step, struct step_started *ret,
	       struct err *err)
{
	int fd[3] = {-1, -1, -1}, line[2];
	int rc = -1;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line) < 0)
		return err_printf(err, "no line: %s", strerror(errno));
	fd[0] = move_up(number_of(listen_for_launchers(step), &ret->port, err));
	fd[1] = move_up(number_of(listen_somewhere(), &ret->facts_port, err));
	fd[2] = move_up(line[1]);
	if (fd[0] >= 0 && fd[1] >= 0 && fd[2] >= 0 &&
	    tell_secret(line[0], step) == 0 &&
	    fcntl(line[0], F_SETFL, O_NONBLOCK) == 0)
		rc = spawn(step->name, fd, err);
	close_all(fd);
	ret->line_fd = line[0];
	if (rc < 0)
		close(line[0]);
	return rc;
}
