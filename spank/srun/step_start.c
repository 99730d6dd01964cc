/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/srun/step_start.h"

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

/* Out of the way of the numbers at which the program finds them; -1 stays so,
 * with its errno. */
static int move_up(int fd)
{
	int up;

	if (fd < 0)
		return -1;
	up = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
	close(fd);
	return up;
}

static unsigned port_in_range(const void *arg, unsigned try)
{
	return port_beside_srun((unsigned)getpid(), arg, try);
}

static int listen_at_one(const struct step_ports *ports)
{
	unsigned port;
	int fd = -1;

	for (unsigned i = 0; fd < 0 && (port = ports->port(ports->arg, i)) != 0;
	     i++)
		fd = socket_listen(NULL, port, SOMAXCONN);
	return fd;
}

/* At the first port of SrunPortRange that is free; without a range at one of
 * `ports`. A firewall then lets nodes reach both ports, or none: task 0's
 * launcher, which gives its facts at one, wouldn't know of the other. */
static int listen_for(const struct step_ports *ports, unsigned *ret_port,
		      struct err *err)
{
	struct sockaddr_in6 any = {0};
	socklen_t len = sizeof(any);
	struct port_range range;
	const struct step_ports in_range = {.port = port_in_range,
					    .arg = &range};
	int fd;

	if (slurmctld_srun_ports(&range))
		ports = &in_range;
	fd = move_up(listen_at_one(ports));
	if (fd >= 0)
		getsockname(fd, (struct sockaddr *)&any, &len);
	else
		err_printf(err,
			   "srun can't listen in SrunPortRange of slurm.conf, "
			   "or without that in ports=: %s; widen it",
			   strerror(errno));
	*ret_port = ntohs(any.sin6_port); /* at its place in both families */
	return fd;
}

int step_doors_open(const struct step_ports *ports, struct step_doors *ret,
		    struct err *err)
{
	ret->fd[0] = listen_for(ports, &ret->port, err);
	if (ret->fd[0] < 0)
		return -1;
	ret->fd[1] = listen_for(ports, &ret->facts_port, err);
	if (ret->fd[1] < 0)
		close(ret->fd[0]);
	return ret->fd[1] < 0 ? -1 : 0;
}

/* --- the program --- */

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
	if (rc == 0)
		return 0;
	return err_printf(err,
			  "%s: %s; install slurm-dist-train's helpers on "
			  "srun's host",
			  PROGRAM, strerror(rc));
}

/* It is all in the line before the program starts. Returns the program's end,
 * and srun's in *ret. */
static int make_line(const struct step_start *step, int *ret, struct err *err)
{
	struct iovec parts[] = {
		{(void *)step->secret, sizeof(*step->secret)},
		{(void *)step->credential, strlen(step->credential)},
	};
	ssize_t n = (ssize_t)(parts[0].iov_len + parts[1].iov_len);
	int line[2], fd;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line) < 0)
		return err_printf(err, "no socket: %s", strerror(errno));
	fd = move_up(line[1]);
	if (fd >= 0 && writev(line[0], parts, 2) == n) {
		*ret = line[0];
		return fd;
	}
	err_printf(err, "no socket: %s", strerror(errno));
	close(line[0]);
	close_fd(&fd);
	return -1;
}

int step_start(const struct step_start *step, int *ret_line_fd, struct err *err)
{
	int fd[3] = {step->doors->fd[0], step->doors->fd[1], -1};
	int line_fd = -1, rc;

	rc = fd[2] = make_line(step, &line_fd, err);
	if (rc >= 0)
		rc = spawn(step->name, fd, err);
	if (rc < 0 && fd[2] >= 0)
		close(line_fd);
	for (int i = 0; i < 3; i++)
		close_fd(&fd[i]);
	*ret_line_fd = line_fd;
	return rc;
}
