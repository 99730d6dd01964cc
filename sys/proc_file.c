/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/proc_file.h"

#include "core/base/err.h"
#include "sys/folder.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_SIZE 1024

/* "PID (NAME) STATE ...", where NAME may hold anything. */
static int parse_stat(const char *text, struct proc_stat *ret)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	unsigned long minor = 0, major = 0, user = 0, system = 0;
	long ended_user = 0, ended_system = 0, pages = 0;
	unsigned long long start = 0;
	int parent = 0, session = 0;

	if (!open || !close || close < open ||
	    sscanf(close,
		   ") %c %d %*d %d %*d %*d %*u %lu %*u %lu %*u %lu %lu %ld "
		   "%ld %*d %*d %*d %*d %llu %*u %ld",
		   &ret->state, &parent, &session, &minor, &major, &user,
		   &system, &ended_user, &ended_system, &start, &pages) < 1)
		return -1;
	snprintf(ret->name, sizeof(ret->name), "%.*s", (int)(close - open - 1),
		 open + 1);
	ret->parent = parent;
	ret->session = session;
	ret->start = start;
	ret->faults = minor + major;
	ret->ticks = user + system;
	ret->ended_ticks = (uint64_t)(ended_user + ended_system);
	ret->rss_kib = (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
	return 0;
}

/* A file of a process, or of one of its threads. */
static int read_of(const char *root, pid_t pid, long tid, const char *name,
		   char *buf, size_t size)
{
	if (!tid)
		return sysfs_read(buf, size, root, "/proc/%d/%s", (int)pid,
				  name);
	return sysfs_read(buf, size, root, "/proc/%d/task/%ld/%s", (int)pid,
			  tid, name);
}

int proc_stat_read(const char *root, pid_t pid, long tid, struct proc_stat *ret)
{
	char text[TEXT_SIZE];
	struct proc_stat s;

	if (read_of(root, pid, tid, "stat", text, sizeof(text)) < 0 ||
	    parse_stat(text, &s) < 0)
		return -1;
	*ret = s;
	return 0;
}

const char *proc_state_words(char state)
{
	switch (state) {
	case 'R':
		return "runs";
	case 'S':
		return "sleeps";
	case 'D':
		return "can't be interrupted (state D)";
	case 'T':
		return "is stopped by a signal";
	case 't':
		return "is stopped by a debugger";
	case 'X':
	case 'Z':
		return "has ended";
	default:
		return "is in an unknown state";
	}
}

int proc_io_read(const char *root, pid_t pid, struct proc_io *ret)
{
	unsigned long long n[4];
	char text[TEXT_SIZE];

	if (read_of(root, pid, 0, "io", text, sizeof(text)) < 0 ||
	    sscanf(text,
		   "rchar: %llu wchar: %llu syscr: %*u syscw: %*u "
		   "read_bytes: %llu write_bytes: %llu",
		   &n[0], &n[1], &n[2], &n[3]) != 4)
		return -1;
	*ret = (struct proc_io){n[0], n[1], n[2], n[3]};
	return 0;
}

const char *proc_status_value(const char *status, const char *key)
{
	size_t n = strlen(key);

	for (const char *line = status; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, key, n) && line[n] == ':')
			return line + n + 1 + strspn(line + n + 1, " \t");
	}
	return "";
}

bool proc_has_signal(const char *root, pid_t pid, const char *set, int signal)
{
	char text[PROC_STATUS_SIZE];
	unsigned long long bits;

	if (read_of(root, pid, 0, "status", text, sizeof(text)) < 0)
		return false;
	bits = strtoull(proc_status_value(text, set), NULL, 16);
	return bits >> (signal - 1) & 1;
}

/* The kernel says 0 of a thread that runs, and to whom it doesn't tell. */
void proc_wchan_read(const char *root, pid_t pid, long tid, char *buf,
		     size_t size)
{
	if (read_of(root, pid, tid, "wchan", buf, size) < 0)
		*buf = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	if (!strcmp(buf, "0"))
		*buf = '\0';
}

/* --- threads and children --- */

struct visit {
	void (*visit)(void *arg, long tid);
	void *arg;
};

static void visit_task(void *arg, int fd, const char *name)
{
	const struct visit *v = arg;
	long tid = atol(name);

	(void)fd;
	if (tid > 0)
		v->visit(v->arg, tid);
}

void proc_threads_each(const char *root, pid_t pid,
		       void (*visit)(void *arg, long tid), void *arg)
{
	cleanup_close int fd = -1;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/proc/%d/task", root, (int)pid);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		folder_each(fd, visit_task, &(struct visit){visit, arg});
}

void proc_children_each(const char *root, pid_t pid, long tid,
			void (*visit)(void *arg, pid_t child), void *arg)
{
	char path[PATH_MAX];
	int child;
	FILE *f;

	snprintf(path, sizeof(path), "%s/proc/%d/task/%ld/children", root,
		 (int)pid, tid);
	f = fopen(path, "re");
	while (f && fscanf(f, "%d", &child) == 1)
		visit(arg, child);
	if (f)
		fclose(f);
}

struct descendants {
	const char *root;
	pid_t *pid;
	unsigned n, max, at; /* at: the one whose children are looked for */
};

static void add_child(void *arg, pid_t child)
{
	struct descendants *d = arg;

	if (d->n < d->max)
		d->pid[d->n++] = child;
}

static void add_children(void *arg, long tid)
{
	const struct descendants *d = arg;

	proc_children_each(d->root, d->pid[d->at], tid, add_child, arg);
}

unsigned proc_descendants(const char *root, pid_t pid, pid_t *ret, unsigned max)
{
	struct descendants d = {.root = root, .pid = ret, .n = 1, .max = max};

	ret[0] = pid;
	for (; d.at < d.n && d.n < max; d.at++)
		proc_threads_each(root, ret[d.at], add_children, &d);
	return d.n;
}
