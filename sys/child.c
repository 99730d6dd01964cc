/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/child.h"

#include "core/base/exit_code.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

extern char **environ;

#define NSIGNALS 32

static struct sigaction started_with[NSIGNALS];
static sigset_t mask_at_start;
static struct rlimit files_at_start;
static bool *not_executed; /* shared with the children */

void child_remember_signals(void)
{
	for (int s = 1; s < NSIGNALS; s++)
		sigaction(s, NULL, &started_with[s]);
	sigprocmask(SIG_SETMASK, NULL, &mask_at_start);
}

void child_raise_files(void)
{
	struct rlimit raised;

	if (getrlimit(RLIMIT_NOFILE, &files_at_start) < 0)
		return;
	raised = files_at_start;
	raised.rlim_cur = raised.rlim_max;
	setrlimit(RLIMIT_NOFILE, &raised);
}

/* SIGPIPE and SIGCHLD as in a fresh process, whatever slurmstepd left. */
static void restore_signals(void)
{
	for (int s = 1; s < NSIGNALS; s++)
		sigaction(s, &started_with[s], NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_SETMASK, &mask_at_start, NULL);
}

static int has_prefix(const char *pair, const char *const prefixes[])
{
	for (int i = 0; prefixes[i]; i++)
		if (!strncmp(pair, prefixes[i], strlen(prefixes[i])))
			return 1;
	return 0;
}

/* Whether the set decides about this NAME=value. */
static int is_replaced(const char *pair, const struct envset *set)
{
	const char *eq = strchr(pair, '=');

	for (size_t i = 0; eq && i < set->n; i++) {
		const struct env_entry *e = &set->entry[i];

		if (*e->name == *pair &&
		    strlen(e->name) == (size_t)(eq - pair) &&
		    !memcmp(e->name, pair, (size_t)(eq - pair)))
			return env_entry_applies(e);
	}
	return 0;
}

/* A marker that this process, a service say, gets nothing for. */
static int is_marker(const char *pair)
{
	const char *eq = strchr(pair, '=');

	return eq && !strcmp(eq + 1, ENV_PLUGIN_MISSING);
}

/* Fill env from this process's environment and the set. */
static int fill_env(char **env, const struct envset *set,
		    const char *const without[])
{
	for (char **e = environ; *e; e++) {
		if (has_prefix(*e, without) || is_marker(*e) ||
		    is_replaced(*e, set))
			continue;
		*env = strdup(*e);
		if (!*env++)
			return -1;
	}
	for (size_t i = 0; i < set->n; i++) {
		const struct env_entry *e = &set->entry[i];

		if (!env_entry_applies(e) || !e->value)
			continue;
		if (asprintf(env, "%s=%s", e->name, e->value) < 0) {
			*env = NULL;
			return -1;
		}
		env++;
	}
	return 0;
}

char **child_env(const struct envset *set, const char *const without[])
{
	size_t size = set->n + 1;
	char **env;

	for (char **e = environ; *e; e++)
		size++;
	env = calloc(size, sizeof(*env));
	if (env && fill_env(env, set, without) < 0) {
		child_free_env(env);
		return NULL;
	}
	return env;
}

void child_free_env(char **env)
{
	for (char **e = env; e && *e; e++)
		free(*e);
	free(env);
}

const char *child_path(void)
{
	const char *path = getenv("PATH");

	return path ? path : "/usr/local/bin:/usr/bin:/bin";
}

int child_find(const char *program, const char *path, char *buf, size_t size)
{
	int n;

	cleanup_free char *cwd = *program == '.' ? getcwd(NULL, 0) : NULL;

	if (*program == '/' || *program == '.') {
		n = snprintf(buf, size, "%s%s%s", cwd ? cwd : "",
			     cwd ? "/" : "", program);
		return n > 0 && (size_t)n < size ? access(buf, X_OK) : -1;
	}
	while (path && *path) {
		size_t len = strcspn(path, ":");

		n = snprintf(buf, size, "%.*s/%s", len ? (int)len : 1,
			     len ? path : ".", program);
		if (n > 0 && (size_t)n < size && access(buf, X_OK) == 0)
			return 0;
		path += len + (path[len] == ':');
	}
	return -1;
}

static void redirect(int from, int to)
{
	if (from >= 0 && from != to && dup2(from, to) < 0)
		_exit(126);
}

static void bind_to(const struct idset *cpus, const struct idset *memory)
{
	if (cpus)
		sched_setaffinity(0, sizeof(*cpus), (const cpu_set_t *)cpus);
	if (memory && idset_next(memory, 0) >= 0)
		syscall(SYS_set_mempolicy, MPOL_PREFERRED, memory->word,
			IDSET_MAX + 1UL);
}

/* The current folder is found anew, by its path: it may be one of those that
 * are seen otherwise. */
static void enter(const struct child_view *view)
{
	cleanup_free char *cwd = getcwd(NULL, 0);

	if (setns(view->user, CLONE_NEWUSER) == 0 &&
	    setns(view->mounts, CLONE_NEWNS) == 0 && (!cwd || chdir(cwd) == 0))
		return;
	dprintf(STDERR_FILENO, "dist-train: what is staged can't be seen: %s\n",
		strerror(errno));
	_exit(126);
}

static void run_child(pid_t parent, const struct child *child)
{
	int why;

	if (child->view && child->view->user >= 0)
		enter(child->view);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		_exit(126);
	/* Where Yama is, who is no ancestor may not read our stack; children
	 * of the launcher may then. Without Yama it is refused. */
	prctl(PR_SET_PTRACER, (unsigned long)parent, 0, 0, 0);
	if (child->own_group)
		setpgid(0, 0);
	bind_to(child->cpus, child->memory);
	redirect(child->in, STDIN_FILENO);
	redirect(child->out, STDOUT_FILENO);
	redirect(child->err, STDERR_FILENO);
	restore_signals();
	if (child->ignores_term)
		signal(SIGTERM, SIG_IGN);
	if (files_at_start.rlim_cur)
		setrlimit(RLIMIT_NOFILE, &files_at_start);
	execve(child->file, child->argv, child->env);
	why = errno;
	dprintf(STDERR_FILENO, "dist-train: %s: %s\n", child->file,
		strerror(why));
	if (not_executed)
		*not_executed = true;
	_exit(child->exits_as_shell ? exit_of_exec(why) : why);
}

static void share_with_children(void)
{
	void *page = mmap(NULL, sizeof(*not_executed), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (page != MAP_FAILED)
		not_executed = page;
}

pid_t child_start(const struct child *child, struct err *err)
{
	pid_t parent = getpid(), pid;

	if (!not_executed)
		share_with_children();
	pid = fork();
	if (pid == 0)
		run_child(parent, child);
	if (pid < 0)
		err_printf(err, "can't start a process: %s", strerror(errno));
	return pid;
}

bool child_was_not_executed(void)
{
	return not_executed && *not_executed;
}
