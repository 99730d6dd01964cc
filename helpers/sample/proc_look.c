/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/sample/proc_look.h"

#include "core/base/parse.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ENVIRON_MAX (256U << 10)

static long read_text(const char *path, char nul, char *buf, size_t size)
{
	cleanup_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t got;

	*buf = '\0';
	if (fd < 0)
		return -1;
	while (n < size - 1 && (got = read(fd, buf + n, size - 1 - n)) > 0)
		n += (size_t)got;
	for (size_t i = 0; i < n; i++)
		if (!buf[i])
			buf[i] = nul;
	buf[n] = '\0';
	return (long)n;
}

long proc_text(pid_t pid, const char *name, char nul, char *buf, size_t size)
{
	char path[128];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return read_text(path, nul, buf, size);
}

int proc_env(pid_t pid, const char *name, char *buf, size_t size)
{
	cleanup_free char *all = malloc(ENVIRON_MAX);
	size_t n = strlen(name);
	int rc;

	if (!all || proc_text(pid, "environ", '\n', all, ENVIRON_MAX) <= 0)
		return -1;
	for (char *at = all; at; at = strchr(at, '\n')) {
		at += *at == '\n';
		if (strncmp(at, name, n) || at[n] != '=')
			continue;
		at += n + 1;
		rc = snprintf(buf, size, "%.*s", (int)strcspn(at, "\n"), at);
		return rc > 0 && (size_t)rc < size ? 0 : -1;
	}
	return -1;
}

int proc_exe(pid_t pid, char *buf, size_t size)
{
	static const char gone[] = " (deleted)";
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	n = readlink(path, buf, size - 1);
	if (n <= 0)
		return -1;
	buf[n] = '\0';
	n -= (ssize_t)sizeof(gone) - 1;
	if (n > 0 && !strcmp(buf + n, gone))
		buf[n] = '\0';
	return 0;
}

/* --- a process and its children --- */

static bool is_python(pid_t pid)
{
	char exe[PATH_MAX];
	const char *name;

	if (proc_exe(pid, exe, sizeof(exe)) < 0)
		return false;
	name = strrchr(exe, '/');
	name = name ? name + 1 : exe;
	return !strncmp(name, "python", 6) || !strncmp(name, "pypy", 4);
}

static int index_of(const struct process_node *node, unsigned n, pid_t pid)
{
	while (n && node[n - 1].pid != pid)
		n--;
	return (int)n - 1;
}

/* Returns whether it is there, and so is its parent. */
static bool add_node(struct process_node *node, unsigned n, pid_t pid)
{
	struct process_node *p = &node[n];
	char rank[16], wchan[64];
	struct proc_stat stat;
	int parent;

	if (proc_stat_read("", pid, 0, &stat) < 0)
		return false;
	parent = index_of(node, n, stat.parent);
	if (n && parent < 0)
		return false;
	*p = (struct process_node){.pid = pid, .parent = parent, .rank = -1};
	memcpy(p->comm, stat.name, sizeof(p->comm));
	proc_text(pid, "cmdline", ' ', p->words, sizeof(p->words));
	proc_wchan_read("", pid, 0, wchan, sizeof(wchan));
	p->waits =
		!strncmp(wchan, "do_wait", 7) || !strcmp(wchan, "sigsuspend");
	p->python = is_python(pid);
	if (p->python && proc_env(pid, "RANK", rank, sizeof(rank)) == 0)
		parse_number(rank, 0, INT_MAX, &p->rank);
	return true;
}

unsigned proc_tree(pid_t pid, struct process_node ret[PROGRAM_NODES])
{
	pid_t found[PROGRAM_NODES];
	unsigned all = proc_descendants("", pid, found, PROGRAM_NODES), n = 0;

	for (unsigned i = 0; i < all && (n || !i); i++)
		n += add_node(ret, n, found[i]);
	return n;
}

/* --- threads --- */

struct threads {
	pid_t pid;
	struct proc_thread *thread;
	unsigned n, all;
};

static void read_thread(pid_t pid, long tid, struct proc_thread *t)
{
	char name[64], text[512];
	struct proc_stat stat;

	*t = (struct proc_thread){.tid = tid, .state = '?'};
	if (proc_stat_read("", pid, tid, &stat) == 0) {
		t->state = stat.state;
		memcpy(t->name, stat.name, sizeof(t->name));
	}
	proc_wchan_read("", pid, tid, t->wchan, sizeof(t->wchan));
	snprintf(name, sizeof(name), "task/%ld/syscall", tid);
	proc_text(pid, name, ' ', text, sizeof(text));
	if (isdigit((unsigned char)*text))
		snprintf(t->call, sizeof(t->call), "%.*s",
			 (int)strspn(text, "0123456789"), text);
}

static void visit_thread(void *arg, long tid)
{
	struct threads *t = arg;

	if (tid == t->pid)
		return;
	t->all++;
	if (t->n < SAMPLE_THREADS)
		read_thread(t->pid, tid, &t->thread[t->n++]);
}

unsigned proc_threads(pid_t pid, struct proc_thread ret[SAMPLE_THREADS],
		      unsigned *ret_all)
{
	struct threads t = {.pid = pid, .thread = ret, .n = 1, .all = 1};

	read_thread(pid, pid, &ret[0]);
	proc_threads_each("", pid, visit_thread, &t);
	*ret_all = t.all;
	return t.n;
}
