/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/procs/proc_seen.h"

#include "core/base/cleanup.h"
#include "core/base/text.h"
#include "sys/folder.h"
#include "sys/sysfs.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_SIZE 4096

/* A program may call itself anything. */
static void copy_name(char ret[SEEN_NAME_SIZE], const char *text, size_t n)
{
	if (n > SEEN_NAME_SIZE - 1)
		n = SEEN_NAME_SIZE - 1;
	for (size_t i = 0; i < n; i++)
		ret[i] = isprint((unsigned char)text[i]) ? text[i] : '?';
	ret[n] = '\0';
}

/* The kernel says 0 of a thread that runs, and to whom it doesn't tell. */
static void read_where(const char *root, pid_t pid, long tid,
		       char ret[SEEN_NAME_SIZE])
{
	char text[SEEN_NAME_SIZE];

	*ret = '\0';
	if (sysfs_read(text, sizeof(text), root, "/proc/%d/task/%ld/wchan",
		       (int)pid, tid) == 0 &&
	    strcmp(text, "0") != 0)
		copy_name(ret, text, strcspn(text, "\n"));
}

/* "TID (NAME) STATE ...", where NAME may hold anything. */
static void look_at_thread(const char *root, pid_t pid, long tid,
			   struct thread_seen *ret)
{
	char text[FILE_SIZE];
	const char *close;

	*ret = (struct thread_seen){0};
	if (sysfs_read(text, sizeof(text), root, "/proc/%d/task/%ld/stat",
		       (int)pid, tid) < 0)
		return;
	close = strrchr(text, ')');
	if (!close || close[1] != ' ')
		return;
	ret->state = close[2];
	read_where(root, pid, tid, ret->where);
}

/* What stands behind `key` and a colon in a file `status`, or "". */
static const char *status_value(const char *status, const char *key)
{
	size_t n = strlen(key);

	for (const char *line = status; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, key, n) && line[n] == ':')
			return line + n + 1 + strspn(line + n + 1, " \t");
	}
	return "";
}

static bool has_signal(const char *status, const char *key, int sig)
{
	uint64_t mask = strtoull(status_value(status, key), NULL, 16);

	return mask >> (sig - 1) & 1;
}

/* --- threads and children --- */

struct thread_list {
	long tid[SEEN_THREADS];
	unsigned n;
};

static void add_thread(void *arg, int fd, const char *name)
{
	struct thread_list *list = arg;
	long tid = atol(name);

	(void)fd;
	if (tid > 0 && list->n < SEEN_THREADS)
		list->tid[list->n++] = tid;
}

static void list_threads(const char *root, pid_t pid, struct thread_list *ret)
{
	cleanup_close int fd = -1;
	char path[PATH_MAX];

	ret->n = 0;
	snprintf(path, sizeof(path), "%s/proc/%d/task", root, (int)pid);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		folder_each(fd, add_thread, ret);
}

/* "PID PID ... ": a number at the very end may be cut. */
static unsigned add_children(const char *root, pid_t pid, long tid, pid_t *ret,
			     unsigned max)
{
	char text[FILE_SIZE], *end;
	unsigned n = 0;

	if (sysfs_read(text, sizeof(text), root, "/proc/%d/task/%ld/children",
		       (int)pid, tid) < 0)
		return 0;
	for (const char *at = text; n < max; at = end) {
		long child = strtol(at, &end, 10);

		if (end == at || *end != ' ')
			break;
		ret[n++] = (pid_t)child;
	}
	return n;
}

unsigned proc_seen_tree(const char *root, pid_t pid, pid_t *ret, unsigned max)
{
	struct thread_list list;
	unsigned n = 1;

	ret[0] = pid;
	for (unsigned at = 0; at < n && n < max; at++) {
		list_threads(root, ret[at], &list);
		for (unsigned i = 0; i < list.n; i++)
			n += add_children(root, ret[at], list.tid[i], ret + n,
					  max - n);
	}
	return n;
}

static void look_at_others(const char *root, struct proc_seen *p)
{
	struct thread_list list;
	struct thread_seen t;

	list_threads(root, p->pid, &list);
	for (unsigned i = 0; i < list.n; i++) {
		if (list.tid[i] == p->pid)
			continue;
		look_at_thread(root, p->pid, list.tid[i], &t);
		p->nrunning += t.state == 'R';
		if (t.state != 'D')
			continue;
		if (!p->nstuck++)
			memcpy(p->stuck, t.where, sizeof(p->stuck));
	}
}

int proc_seen_look(const char *root, pid_t pid, struct proc_seen *ret)
{
	char status[FILE_SIZE];
	struct proc_seen p = {.pid = pid};
	const char *name;

	look_at_thread(root, pid, pid, &p.main);
	if (sysfs_read(status, sizeof(status), root, "/proc/%d/status",
		       (int)pid) < 0)
		return -1;
	p.nthreads = (unsigned)atoi(status_value(status, "Threads"));
	if (!p.main.state || (p.main.state == 'Z' && p.nthreads <= 1))
		return -1;
	name = status_value(status, "Name");
	copy_name(p.name, name, strcspn(name, "\n"));
	p.catches = has_signal(status, "SigCgt", SIGABRT);
	p.blocked = has_signal(status, "SigBlk", SIGABRT);
	look_at_others(root, &p);
	*ret = p;
	return 0;
}

bool proc_seen_waits(const struct proc_seen *seen)
{
	return seen->nthreads == 1 && seen->main.state == 'S' &&
	       !strcmp(seen->main.where, "do_wait");
}

bool proc_seen_can_speak(const struct proc_seen *seen)
{
	return seen->catches && seen->main.state != 'D' &&
	       seen->main.state != 't' &&
	       !(seen->blocked && seen->nthreads == 1);
}

/* --- as text --- */

/* Whose functions a thread in state D waits in. */
static const char *whose(const char *where)
{
	static const struct {
		const char *begin, *name;
	} known[] = {
		{"request_wait_answer", "FUSE"},
		{"fuse_", "FUSE"},
		{"nfs", "NFS"},
		{"rpc_", "NFS"},
		{"cl_", "Lustre"},
		{"ldlm_", "Lustre"},
		{"osc_", "Lustre"},
		{"ptlrpc_", "Lustre"},
		{"cxi", "GPFS"},
		{"ceph_", "CephFS"},
		{"cifs_", "SMB"},
		{"uvm_", "NVIDIA's driver"},
		{"nv_", "NVIDIA's driver"},
		{"folio_wait", "a file's data"},
		{"io_schedule", "a file's data"},
		{"wait_on_page", "a file's data"},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strncmp(where, known[i].begin, strlen(known[i].begin)))
			return known[i].name;
	return NULL;
}

static void add_where(char *buf, const char *before, const char *where)
{
	const char *name = whose(where);

	if (!*where)
		return;
	text_add(buf, SEEN_TEXT_SIZE, before, "%s", where);
	if (name)
		text_add(buf, SEEN_TEXT_SIZE, " ", "(%s)", name);
}

static const char *state_words(char state)
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
	case 'Z':
		return "has ended";
	default:
		return "is in an unknown state";
	}
}

static const char *why_silent(const struct proc_seen *seen)
{
	if (seen->main.state == 'D')
		return "; it can neither write its stacks nor end";
	if (seen->main.state == 't')
		return "; the debugger has its stacks";
	if (!seen->catches)
		return "; no stacks, for it doesn't catch SIGABRT";
	return "; no stacks, for it blocks SIGABRT";
}

const char *proc_seen_text(const struct proc_seen *seen,
			   char buf[SEEN_TEXT_SIZE])
{
	const bool one = seen->nthreads == 1;

	*buf = '\0';
	text_add(buf, SEEN_TEXT_SIZE, "", "pid %d (%s): %u thread%s",
		 (int)seen->pid, seen->name, seen->nthreads, one ? "" : "s");
	text_add(buf, SEEN_TEXT_SIZE, ", ", "%s %s",
		 one ? "which" : "the main one", state_words(seen->main.state));
	add_where(buf, " in ", seen->main.where);
	if (seen->nrunning)
		text_add(buf, SEEN_TEXT_SIZE, ", ", "%u other%s",
			 seen->nrunning,
			 seen->nrunning > 1 ? "s run" : " runs");
	if (seen->nstuck) {
		text_add(buf, SEEN_TEXT_SIZE, ", ", "%u other%s in state D",
			 seen->nstuck, seen->nstuck > 1 ? "s" : "");
		add_where(buf, " in ", seen->stuck);
	}
	if (!proc_seen_can_speak(seen))
		text_add(buf, SEEN_TEXT_SIZE, "", "%s", why_silent(seen));
	return buf;
}
