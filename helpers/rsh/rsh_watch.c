/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/rsh/rsh.h"

#include "sys/orphans.h"
#include "sys/socket.h"
#include "sys/subprocess.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define CONNECT_MS 20000
#define LEASE_S	   15 /* until a dead host is noticed */
#define KILL_MS	   5000
#define GONE_CODE  255 /* ssh's exit status when the connection is lost */

static int connect_back(const char *ip, unsigned port, struct err *err)
{
	cleanup_close int fd = socket_connect(ip, port);
	int why = fd < 0 ? errno : ETIMEDOUT, ret;

	if (fd >= 0 && socket_wait(fd, POLLOUT, CONNECT_MS))
		why = socket_error(fd);
	if (why)
		return err_printf(err,
				  "can't connect to %s port %u, which sent the "
				  "command: %s",
				  ip, port, strerror(why));
	socket_lease(fd, LEASE_S);
	ret = fd;
	fd = -1;
	return ret;
}

/* Block the signals that Slurm sends: the command gets them too, and
 * decides. */
static int leave_signals(void)
{
	static const int left[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,
				   SIGUSR1, SIGUSR2, SIGALRM, SIGCHLD};
	sigset_t blocked, chld;

	sigemptyset(&blocked);
	for (size_t i = 0; i < sizeof(left) / sizeof(*left); i++)
		sigaddset(&blocked, left[i]);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	return signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Reap all children that have ended. Returns whether any is left. */
static int reap_command(pid_t command, int *status)
{
	int s;
	pid_t pid;

	while ((pid = waitpid(-1, &s, WNOHANG)) > 0)
		if (pid == command)
			*status = s;
	return pid == 0;
}

/* Wait until all children have ended (0), or until the sender's host is gone
 * (-1). */
static int wait_for_end(int near, int chld, pid_t command, int *status)
{
	struct pollfd p[] = {{.fd = near, .events = POLLIN | POLLRDHUP},
			     {.fd = chld, .events = POLLIN}};
	struct signalfd_siginfo info;

	while (reap_command(command, status)) {
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return -1;
		if (p[0].revents)
			return -1;
		while (read(chld, &info, sizeof(info)) > 0)
			;
	}
	return 0;
}

/* SIGTERM, then after some time SIGKILL. */
static void end_all(int chld, const struct subprocess *shell, int *status)
{
	struct pollfd p = {.fd = chld, .events = POLLIN};

	subprocess_kill(shell, SIGTERM);
	if (reap_command(shell->pid, status))
		poll(&p, 1, KILL_MS);
	if (reap_command(shell->pid, status))
		orphans_end(0);
}

int rsh_watch(const char *ip, unsigned port, const char *command,
	      struct err *err)
{
	cleanup_close int near = connect_back(ip, port, err);
	const struct subprocess_spec spec = {
		.file = "/bin/sh",
		.argv = (const char *[]){"sh", "-c", command, NULL},
		.flags = SUBPROCESS_GROUP,
	};
	cleanup_close int chld = -1;
	struct subprocess shell;
	int status = 0;

	if (near < 0)
		return -1;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	chld = leave_signals();
	if (chld < 0)
		return err_printf(err, "signalfd: %s", strerror(errno));
	if (subprocess_start(&spec, &shell, err) < 0)
		return -1;
	if (wait_for_end(near, chld, shell.pid, &status) < 0) {
		end_all(chld, &shell, &status);
		return GONE_CODE;
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				   : WEXITSTATUS(status);
}
