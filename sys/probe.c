/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/probe.h"

#include "core/base/cleanup.h"
#include "sys/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define AFTER_KILL_MS 200
#define POLL_MS	      5

/* Signals as in a fresh process: the caller may block or ignore some. */
static void reset_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
}

static void be_child(pid_t parent, int out, void (*child)(const void *arg),
		     const void *arg)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	setpgid(0, 0);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		_exit(126);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0)
		_exit(126);
	reset_signals();
	child(arg);
	fflush(stdout);
	_exit(0);
}

static int left_ms(long long deadline)
{
	long long left = deadline - (long long)loop_now_ms();

	return left > 0 ? (int)left : 0;
}

/* Collect until the writers have gone. Returns 0, or -1 at the deadline. */
static int gather_output(int fd, long long deadline, char *buf, size_t size)
{
	size_t used = 0;
	char more[4096];

	for (;;) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		int ready = poll(&p, 1, left_ms(deadline));
		ssize_t n;

		if (ready < 0 && errno == EINTR)
			continue;
		if (ready <= 0)
			return -1;
		n = read(fd, more, sizeof(more));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return 0;
		for (ssize_t i = 0; i < n && used < size - 1; i++)
			if (more[i])
				buf[used++] = more[i];
		buf[used] = '\0';
	}
}

static int wait_end(pid_t pid, long long deadline)
{
	for (;;) {
		pid_t done = waitpid(pid, NULL, WNOHANG);

		if (done == pid || (done < 0 && errno != EINTR))
			return 0;
		if (!left_ms(deadline))
			return -1;
		poll(NULL, 0, POLL_MS);
	}
}

int probe_run(void (*child)(const void *arg), const void *arg, int limit_ms,
	      char *buf, size_t size, struct err *err)
{
	cleanup_close int in = -1, out = -1;
	long long deadline = (long long)loop_now_ms() + limit_ms;
	pid_t parent = getpid(), pid;
	int ends[2];

	*buf = '\0';
	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_printf(err, "no pipe: %s", strerror(errno));
	in = ends[0];
	out = ends[1];
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		be_child(parent, out, child, arg);
	if (pid < 0)
		return err_printf(err, "can't start a process: %s",
				  strerror(errno));
	close(out);
	out = -1;
	setpgid(pid, pid);
	if (gather_output(in, deadline, buf, size) == 0 &&
	    wait_end(pid, deadline) == 0)
		return 0;
	kill(-pid, SIGKILL);
	wait_end(pid, (long long)loop_now_ms() + AFTER_KILL_MS);
	return err_printf(err, "no end after %.1f s, so it was killed",
			  limit_ms / 1000.0);
}

static void exec_child(const void *arg)
{
	const char *const *argv = arg;

	execv(argv[0], (char *const *)argv);
	printf("%s\n", strerror(errno));
}

int probe_exec(const char *const argv[], int limit_ms, char *buf, size_t size,
	       struct err *err)
{
	return probe_run(exec_child, argv, limit_ms, buf, size, err);
}
