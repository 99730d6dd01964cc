/* SPDX-License-Identifier: Apache-2.0 */
#include "task/keeper.h"

#include "core/base/parse.h"
#include "core/base/sanitizers.h"
#include "core/facts/handover.h"
#include "sys/left_signals.h"
#include "sys/subprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

/* Until another try, when too much is on its way, and how often */
#define FULL_MS	   10
#define FULL_TRIES 3000
#define LOOK_MS	   1000 /* where the kernel doesn't tell the program's end */

/* --- messages --- */

static void tell(int fd, char type, const char *text)
{
	char packet[sizeof(((struct err *)NULL)->text) + 1];
	int n = snprintf(packet, sizeof(packet), "%c%s", type, text);

	send(fd, packet, (size_t)n + 1, MSG_NOSIGNAL);
}

static void tell_number(int fd, char type, long number)
{
	char text[24];

	snprintf(text, sizeof(text), "%ld", number);
	tell(fd, type, text);
}

/* The next one, with its NUL. Returns its length, or 0 when the launcher is
 * gone. */
static size_t hear(int fd, char buf[KEEPING_SIZE])
{
	ssize_t n;

	do
		n = recv(fd, buf, KEEPING_SIZE - 1, 0);
	while (n < 0 && errno == EINTR);
	buf[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

/* The code of KEEPING_LEAVE. */
static int exit_code(const char *text)
{
	long code;

	return parse_number(text, 0, 255, &code) == 0 ? (int)code
						      : EXIT_FAILURE;
}

static _Noreturn void leave(int code)
{
	if (code)
		usleep(LAST_WORDS_US);
	_exit(code);
}

/* --- before the program --- */

/* Send our end's other one. The kernel lets a user have so many on their way,
 * and the launcher takes them one by one. */
static int send_end(int node_socket, unsigned localid, int end)
{
	char number[16];
	struct iovec text = {
		number,
		(size_t)snprintf(number, sizeof(number), "%u", localid) + 1};
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {.head = {.cmsg_len = CMSG_LEN(sizeof(int)),
			      .cmsg_level = SOL_SOCKET,
			      .cmsg_type = SCM_RIGHTS}};
	struct msghdr message = {.msg_iov = &text,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control.room)};
	unsigned tries = FULL_TRIES;
	ssize_t n;

	memcpy(CMSG_DATA(&control.head), &end, sizeof(end));
	while ((n = sendmsg(node_socket, &message, MSG_NOSIGNAL)) < 0 &&
	       (errno == EINTR || errno == ETOOMANYREFS) && tries--)
		usleep(FULL_MS * 1000);
	return n < 0 ? -1 : 0;
}

static int connect_to(int node_socket, unsigned localid, int *ret,
		      struct err *err)
{
	int ends[2];
	int rc = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends);

	if (rc == 0) {
		rc = send_end(node_socket, localid, ends[1]);
		close(ends[1]);
		if (rc < 0)
			close(ends[0]);
	}
	if (rc < 0)
		return err_printf(err,
				  "can't reach the launcher of this node's "
				  "first task: %s",
				  strerror(errno));
	*ret = ends[0];
	return 0;
}

static int await(int fd, unsigned limit_s, struct err *err)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};
	int n;

	do
		n = poll(&ready, 1, (int)limit_s * 1000);
	while (n < 0 && errno == EINTR);
	if (n > 0)
		return 0;
	return err_printf(err,
			  "the launcher of this node's first task has said "
			  "nothing for %u s",
			  limit_s);
}

static int hear_go(int fd, struct keeping *ret, struct err *err)
{
	char text[KEEPING_SIZE];

	if (!hear(fd, text))
		return err_printf(err, "the launcher of this node's first task "
				       "has ended before the program started");
	if (*text == KEEPING_LEAVE)
		leave(exit_code(text + 1));
	return keeping_parse(*text == KEEPING_GO ? text + 1 : "", ret, err);
}

int keeper_meet(int node_socket, unsigned localid, unsigned limit_s,
		struct keeper *ret, struct keeping *ret_keeping,
		struct err *err)
{
	cleanup_close int fd = -1;

	/* When slurmstepd was killed, the launcher may never come. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* What is called slurmstepd gets no SIGKILL from proctrack/linuxproc */
	prctl(PR_SET_NAME, "dist-train-keep");
	prctl(PR_SET_DUMPABLE, 0);
	left_signals_block(&ret->before);
	if (connect_to(node_socket, localid, &fd, err) < 0 ||
	    await(fd, limit_s, err) < 0 || hear_go(fd, ret_keeping, err) < 0)
		return -1;
	prctl(PR_SET_PDEATHSIG, 0); /* from now on the launcher watches it */
	ret->launcher = ret_keeping->launcher;
	ret->fd = fd;
	fd = -1;
	return 0;
}

void keeper_fail(struct keeper *keeper, const struct err *err)
{
	char text[KEEPING_SIZE];

	tell(keeper->fd, KEEPING_FAILED, err->text);
	while (hear(keeper->fd, text))
		if (*text == KEEPING_LEAVE)
			leave(exit_code(text + 1));
	leave(EXIT_FAILURE);
}

/* --- beside the program --- */

static int watch_child(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Without slurmstepd's files: who waits for the end of the program's output
 * mustn't wait for us. */
static void stand_apart(int fd, int child_fd)
{
	const int kept[] = {fd, child_fd};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int to = 0; to < 3; to++)
		if (null < 0 || dup2(null, to) < 0)
			close(to);
	close_others(kept, sizeof(kept) / sizeof(*kept));
}

/* As waitpid() has it. */
static int status_of(const siginfo_t *info)
{
	return info->si_code == CLD_EXITED ? info->si_status << 8
					   : info->si_status;
}

/* It isn't waited for: its pid must stay its own. */
static bool tell_end(int fd, pid_t child)
{
	siginfo_t info = {.si_pid = 0};

	if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) <
		    0 ||
	    info.si_pid != child)
		return false;
	tell_number(fd, KEEPING_ENDED, status_of(&info));
	return true;
}

/* What the program has left behind came to us (PR_SET_CHILD_SUBREAPER).
 * Without malloc(): the child may have been killed in it, and had our memory.
 */
static void kill_children(void)
{
	char path[64], text[4096], *at, *end;
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	if (n <= 0)
		return;
	text[n] = '\0';
	for (at = text;; at = end) {
		long pid = strtol(at, &end, 10);

		if (end == at || (n == sizeof(text) - 1 && !*end))
			break;
		kill((pid_t)pid, SIGKILL);
	}
}

/* Whether any is left, running or just killed. */
static bool reap_children(void)
{
	pid_t pid;

	do
		pid = waitpid(-1, NULL, WNOHANG);
	while (pid > 0);
	return pid == 0;
}

/* Ended ones are reaped, others killed, until none is left or for at most a
 * second: one may hang in a driver. */
static void end_rest(void)
{
	for (unsigned i = 0; i < 1000 && reap_children(); i++) {
		kill_children();
		usleep(1000);
	}
}

static void reap_others(pid_t child)
{
	siginfo_t info = {.si_pid = 0};

	while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid && info.si_pid != child) {
		waitpid(info.si_pid, NULL, WNOHANG);
		info.si_pid = 0;
	}
}

static _Noreturn void keep(int fd, pid_t child)
{
	struct pollfd ready[] = {{.fd = fd, .events = POLLIN},
				 {.fd = watch_child(), .events = POLLIN}};
	struct signalfd_siginfo info;
	char text[KEEPING_SIZE];
	bool told = false;

	stand_apart(fd, ready[1].fd);
	tell_number(fd, KEEPING_RUNS, child);
	for (;;) {
		int n = poll(ready, 2, ready[1].fd < 0 ? LOOK_MS : -1);

		if (n < 0)
			continue; /* EINTR alone: the rest is constant */
		while (read(ready[1].fd, &info, sizeof(info)) > 0)
			;
		reap_others(child);
		told = told || tell_end(fd, child);
		if (n == 0 || !ready[0].revents)
			continue;
		if (hear(fd, text) && *text != KEEPING_LEAVE)
			continue;
		kill(child, SIGKILL); /* if it still runs */
		end_rest();
		leave(*text ? exit_code(text + 1) : 128 + SIGKILL);
	}
}

#if UNDER_SANITIZERS

/* Sanitizers know no stack but the kernel's. */
static pid_t fork_program(int fd)
{
	pid_t pid = fork();

	if (pid > 0)
		keep(fd, pid);
	return pid;
}

#else

/* What the child is to go on with, and where this process does. */
static struct {
	ucontext_t program, apart;
	int fd;
	pid_t pid; /* of the child as vfork() returns it here; -1: none */
} fork_at;

/* On a stack of its own. The child leaves it at once, and until it executes its
 * program this process stands still: neither meets what the other has on its
 * stack. */
static void run_apart(void)
{
	pid_t pid = vfork();

	if (pid > 0)
		keep(fork_at.fd, pid);
	fork_at.pid = pid;
	setcontext(&fork_at.program);
}

/* As fork(), for a child that becomes a program soon: slurmstepd has so many
 * libraries that a copy of its memory's map costs as much as the start of a
 * program, and the map is used no more. */
static pid_t fork_program(int fd)
{
	static char stack[64 * 1024] __attribute__((aligned(16)));
	ucontext_t *apart = &fork_at.apart;

	fork_at.fd = fd;
	if (getcontext(apart) < 0)
		return -1;
	apart->uc_stack.ss_sp = stack;
	apart->uc_stack.ss_size = sizeof(stack);
	apart->uc_link = NULL;
	makecontext(apart, run_apart, 0);
	if (swapcontext(&fork_at.program, apart) < 0)
		return -1;
	return fork_at.pid;
}

#endif

int keeper_stay(struct keeper *keeper, struct err *err)
{
	pid_t parent = getpid();

	/* Later one that is pending would be forgotten. */
	signal(SIGCHLD, SIG_DFL);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (fork_program(keeper->fd) < 0)
		return err_printf(err, "can't start a process: %s",
				  strerror(errno));
	close(keeper->fd);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		_exit(126);
	/* as sys/child.c does, for the launcher's looks */
	prctl(PR_SET_PTRACER, (unsigned long)keeper->launcher, 0, 0, 0);
	sigprocmask(SIG_SETMASK, &keeper->before, NULL);
	return 0;
}
