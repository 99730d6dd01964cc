/* SPDX-License-Identifier: Apache-2.0 */
#include "task/task.h"

#include "sys/early/early_listener.h"
#include "sys/left_signals.h"
#include "sys/subprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Its memory is a copy of slurmstepd's: nobody looks into it. */
static void stand_apart(int fd)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	prctl(PR_SET_DUMPABLE, 0);
	prctl(PR_SET_NAME, "dist-train-port");
	setsid();
	for (int to = 0; to < 3; to++)
		if (null < 0 || dup2(null, to) < 0)
			_exit(1);
	close_others(&fd, 1);
	signals_forget();
}

void early_port_start(const struct plan *plan, const struct process *process,
		      const struct envset *set, const char *program)
{
	unsigned port = plan->coordinator.port;
	pid_t owner = getpid(), pid;
	cleanup_close int fd = -1;

	if (!plan_listens_early(plan, process, set, program))
		return;
	fd = early_listener_open(port);
	if (fd < 0)
		return;
	pid = fork();
	if (pid == 0) {
		if (fork() != 0)
			_exit(0);
		stand_apart(fd);
		early_listener_hold(fd, port, owner);
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}
