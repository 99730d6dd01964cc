/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/round/round_state.h"

#include "core/option/ladder.h"
#include "sys/orphans.h"
#include "sys/subprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define AGAIN_MS 50  /* for those that the killed ones have left */
#define LATE_MS	 500 /* that the guard may wake late on a busy node */

/* --- the guard ---------------------------------------------------------- */

/* Not to be taken for the launcher by whoever looks for that. */
static void rename_self(void)
{
	static const char name[] = "dist-train-guard";
	size_t size = strlen(program_invocation_name);

	prctl(PR_SET_NAME, name);
	memset(program_invocation_name, 0, size);
	if (size >= sizeof(name))
		memcpy(program_invocation_name, name, sizeof(name));
}

static _Noreturn void watch(int fd, pid_t launcher, uint64_t patience)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	uint64_t until = loop_now_ms() + patience;
	char beats[64];

	while (getppid() == launcher) {
		uint64_t now = loop_now_ms();

		if (poll(&p, 1, until > now ? (int)(until - now) : 0) < 0)
			continue;
		now = loop_now_ms();
		if (p.revents) {
			if (read(fd, beats, sizeof(beats)) <= 0)
				break;
			until = now + patience;
		} else if (now > until + LATE_MS) {
			until = now + patience; /* it didn't run either */
		} else {
			orphans_kill_of(launcher, getpid());
			until = now + AGAIN_MS;
		}
	}
	_exit(0);
}

/* --- the launcher ------------------------------------------------------- */

static void end(struct guard *g)
{
	if (!g->fd)
		return;
	loop_disarm(g->loop, &g->beat);
	close(g->fd);
	g->fd = 0;
}

static void send_beat(void *arg)
{
	struct guard *g = arg;

	if (write(g->fd, "", 1) < 0 && errno != EAGAIN) {
		end(g);
		return;
	}
	loop_arm(g->loop, &g->beat, g->interval_ms);
}

void guard_begin(struct guard *g, struct loop *loop, long lease_s)
{
	pid_t launcher = getpid(), pid;
	int fds[2];

	end(g);
	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0)
		return;
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		rename_self();
		close(fds[1]);
		close_others(fds, 1);
		watch(fds[0], launcher, recovery_fence_ms(lease_s));
	}
	close(fds[0]);
	if (pid < 0) {
		close(fds[1]);
		return;
	}
	*g = (struct guard){
		.loop = loop,
		.beat = {.expired = send_beat, .arg = g},
		.interval_ms = recovery_interval_ms(lease_s),
		.fd = fds[1],
	};
	send_beat(g);
}
