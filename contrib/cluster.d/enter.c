/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enter STATE NODE USER DIR COMMAND [ARGUMENT]...: a command on a node of a
 * test cluster (contrib/cluster), which compiles it when the cluster starts.
 * One process between the caller and the command: a suite enters thousands of
 * times.
 *
 * It joins the namespaces of the node's first process, becomes the user and his
 * groups as the node knows them, begins with a clean environment, in DIR if the
 * user may go there, else in /tmp. The command is a child, as a PID namespace
 * is for children; it gets SIGTERM when enter is killed. enter stops when it
 * stops, and ends as it ends.
 *
 * Exit status: the command's; 127 if there is no such command; 1, with a line,
 * if there is no such node or user.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/prctl.h>
#include <sys/wait.h>

#define SEARCH_PATH                                                            \
	"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* Whether the file has both */
static bool read_record(const char *path, int *ret_pid,
			unsigned long *ret_start)
{
	FILE *f = fopen(path, "re");
	int n = f ? fscanf(f, "%d %lu", ret_pid, ret_start) : 0;

	if (f)
		fclose(f);
	return n == 2;
}

/* When the process began, in the kernel's ticks; 0 if it has ended */
static unsigned long start_of(int pid)
{
	char path[32], stat[1024], *p;
	unsigned long start = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	/* The name in parentheses may have blanks */
	if (fgets(stat, sizeof(stat), f) && (p = strrchr(stat, ')')) &&
	    p[2] != 'Z')
		sscanf(p + 2,
		       "%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s"
		       " %*s %*s %*s %*s %*s %*s %*s %*s %lu",
		       &start);
	fclose(f);
	return start;
}

/* The node's first process, if it is still the one that was recorded */
static int pid_of(const char *state, const char *node)
{
	char path[PATH_MAX];
	unsigned long start;
	int pid;

	snprintf(path, sizeof(path), "%s/pids/%s.pid", state, node);
	if (!read_record(path, &pid, &start))
		errx(1, "%s: no node '%s'", state, node);
	if (!start || start_of(pid) != start)
		errx(1, "%s has ended; see %s/log", node, state);
	return pid;
}

static int open_of(int pid, const char *name)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		err(1, "%s", path);
	return fd;
}

static void join(int pid)
{
	static const char *const names[] = {"ns/net", "ns/uts", "ns/ipc",
					    "ns/pid", "ns/mnt"};
	int fds[sizeof(names) / sizeof(*names)], root = open_of(pid, "root");

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		fds[i] = open_of(pid, names[i]);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (setns(fds[i], 0) < 0)
			err(1, "%s", names[i]);
	if (fchdir(root) < 0 || chroot(".") < 0)
		err(1, "the node's root");
}

/* By name or number */
static const struct passwd *find_user(const char *name)
{
	const struct passwd *user = getpwnam(name);
	char *end;

	if (user)
		return user;
	user = getpwuid(strtoul(name, &end, 10));
	if (!user || !*name || *end)
		errx(1,
		     "the node has no user '%s'; there are alice, bob and "
		     "those "
		     "of this machine",
		     name);
	return user;
}

static void set_environment(const struct passwd *user, const char *state)
{
	const char *term = getenv("TERM");
	char conf[PATH_MAX], *kept = strdup(term ? term : "dumb");

	snprintf(conf, sizeof(conf), "%s/etc/slurm.conf", state);
	clearenv();
	if (!kept || setenv("HOME", user->pw_dir, 1) ||
	    setenv("USER", user->pw_name, 1) ||
	    setenv("LOGNAME", user->pw_name, 1) ||
	    setenv("SHELL", "/bin/bash", 1) || setenv("PATH", SEARCH_PATH, 1) ||
	    setenv("LANG", "C.UTF-8", 1) || setenv("TERM", kept, 1) ||
	    setenv("SLURM_CONF", conf, 1))
		err(1, "environment");
	free(kept);
}

/* In the child: never returns */
static void become(const struct passwd *user, const char *dir, char **command)
{
	if (initgroups(user->pw_name, user->pw_gid) < 0 ||
	    setresgid(user->pw_gid, user->pw_gid, user->pw_gid) < 0 ||
	    setresuid(user->pw_uid, user->pw_uid, user->pw_uid) < 0)
		err(1, "%s", user->pw_name);
	/* The caller itself can't be in the PID namespace */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (chdir(dir) < 0 && chdir("/tmp") < 0)
		err(1, "/tmp");
	execvp(command[0], command);
	warn("%s", command[0]);
	_exit(errno == ENOENT ? 127 : 126);
}

static int wait_for(pid_t child)
{
	int status;

	for (;;) {
		if (waitpid(child, &status, WUNTRACED) < 0)
			err(1, "waitpid");
		if (!WIFSTOPPED(status))
			break;
		kill(getpid(), SIGSTOP);
		kill(child, SIGCONT);
	}
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	signal(WTERMSIG(status), SIG_DFL);
	kill(getpid(), WTERMSIG(status));
	return 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	const struct passwd *user;
	pid_t child;

	if (argc < 6)
		errx(2,
		     "usage: enter STATE NODE USER DIR COMMAND [ARGUMENT]...");
	join(pid_of(argv[1], argv[2]));
	user = find_user(argv[3]);
	set_environment(user, argv[1]);
	child = fork();
	if (child < 0)
		err(1, "fork");
	if (!child)
		become(user, argv[4], argv + 5);
	return wait_for(child);
}
