/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/watch/signs.h"

#include "core/base/array.h"
#include "core/base/parse.h"
#include "sys/proc_file.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Ticks of a second are 100; less than two since the last look are no CPU. */
#define BUSY_TICKS 2

/* --- one process --- */

/* What goes through system calls, and what the kernel itself has moved for a
 * call that isn't back yet. Not to be seen of a process that has changed its
 * user: 0. */
static uint64_t read_bytes(const struct signs *s, pid_t pid)
{
	struct proc_io io = {0};

	proc_io_read(s->root, pid, &io);
	return io.read_chars + io.written_chars + io.read + io.written;
}

/* Whether so much since the last look is work. */
static bool is_much(uint64_t before, uint64_t now, uint64_t ms, unsigned each_s)
{
	return now > before && (now - before) * 1000 > each_s * ms;
}

/* Returns whether the process works, or -1: it isn't there any more. */
static int look_at(const struct signs *s, struct signs_of_process *p,
		   uint64_t now_ms)
{
	struct signs_of_process before = *p;
	struct proc_stat stat;
	uint64_t ms = now_ms - before.at_ms;

	if (proc_stat_read(s->root, p->pid, 0, &stat) < 0)
		return -1;
	p->ticks = stat.ticks;
	p->faults = stat.faults;
	p->bytes = read_bytes(s, p->pid);
	p->at_ms = now_ms;
	if (!before.at_ms)
		return 1;
	p->busy = p->ticks >= before.ticks + BUSY_TICKS &&
		  (p->ticks - before.ticks) * 1000 >= ms;
	return is_much(before.bytes, p->bytes, ms, SIGNS_BYTES) ||
	       is_much(before.faults, p->faults, ms, SIGNS_FAULTS);
}

/* --- which there are --- */

static bool knows(const struct signs *s, pid_t pid)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->process[i].pid == pid)
			return true;
	return false;
}

static bool add(struct signs *s, pid_t pid)
{
	if (s->n == SIGNS_PROCESSES ||
	    !array_append(&s->process, s->n, sizeof(*s->process)))
		return false;
	s->process[s->n++].pid = pid;
	return true;
}

struct pair {
	pid_t pid, parent;
};

/* All of this machine that can be seen. Returns how many. */
static size_t list_all(const struct signs *s, struct pair **ret)
{
	char path[PATH_MAX];
	struct dirent *entry;
	size_t n = 0;
	struct proc_stat stat;
	long pid;
	DIR *dir;

	*ret = NULL;
	snprintf(path, sizeof(path), "%s/proc", s->root);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		if (!isdigit((unsigned char)*entry->d_name) ||
		    parse_number(entry->d_name, 1, INT_MAX, &pid) < 0 ||
		    proc_stat_read(s->root, (pid_t)pid, 0, &stat) < 0)
			continue;
		if (!array_append(ret, n, sizeof(**ret)))
			break;
		(*ret)[n++] = (struct pair){(pid_t)pid, stat.parent};
	}
	if (dir)
		closedir(dir);
	return n;
}

static bool moves(struct signs *s, unsigned i, uint64_t now_ms)
{
	s->first = i;
	s->moved_ms = now_ms;
	return true;
}

/* Children of known ones, until there is nothing new. */
static void find_more(struct signs *s, const struct pair *all, size_t n,
		      uint64_t now_ms)
{
	bool again = true;

	while (again) {
		again = false;
		for (size_t i = 0; i < n; i++)
			if (knows(s, all[i].parent) && !knows(s, all[i].pid))
				again |= add(s, all[i].pid) &&
					 moves(s, s->n - 1, now_ms);
	}
}

void signs_find(struct signs *const signs[], unsigned n, uint64_t now_ms)
{
	struct pair *all;
	size_t nall = n ? list_all(signs[0], &all) : 0;

	for (unsigned i = 0; i < n; i++)
		find_more(signs[i], all, nall, now_ms);
	if (n)
		free(all);
}

/* --- the rank --- */

int signs_open(struct signs *s, const char *root, pid_t pid, uint64_t now_ms)
{
	*s = (struct signs){.root = root, .moved_ms = now_ms};
	return add(s, pid) ? 0 : -1;
}

/* The rank's own process is waited for by others. */
static void forget(struct signs *s, unsigned i)
{
	s->process[i] = s->process[--s->n];
}

/* Those of a rank that hasn't worked for long take turns. */
static bool is_left_out(const struct signs *s, unsigned k, bool for_long)
{
	return for_long && k && k % SIGNS_TURNS != s->turn;
}

bool signs_look(struct signs *s, uint64_t now_ms, uint64_t long_ms)
{
	unsigned start = s->first < s->n ? s->first : 0;
	bool for_long = now_ms - s->moved_ms > long_ms;

	s->turn = (s->turn + 1) % SIGNS_TURNS;
	for (unsigned k = 0; k < s->n; k++) {
		unsigned i = (start + k) % s->n;
		int works;

		if (is_left_out(s, k, for_long))
			continue;
		works = look_at(s, &s->process[i], now_ms);

		if (works < 0 && i)
			forget(s, i);
		if (works)
			return moves(s, works < 0 ? 0 : i, now_ms);
	}
	return false;
}

/* A look ends with the first process that works. */
void signs_skip(struct signs *s, uint64_t now_ms)
{
	uint64_t moved_ms = s->moved_ms;

	for (unsigned i = s->n; i; i--)
		if (!signs_look(s, now_ms, UINT64_MAX))
			break;
	s->moved_ms = moved_ms;
}

bool signs_is_busy(const struct signs *s)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->process[i].busy)
			return true;
	return false;
}

/* --- in somebody's hand --- */

static pid_t read_tracer(const struct signs *s, pid_t pid)
{
	char text[PROC_STATUS_SIZE];

	if (sysfs_read(text, sizeof(text), s->root, "/proc/%d/status",
		       (int)pid) < 0)
		return 0;
	return (pid_t)atoi(proc_status_value(text, "TracerPid"));
}

/* Its main thread, in read() from standard input. */
static bool reads_terminal(const struct signs *s, pid_t pid)
{
	char text[256], path[PATH_MAX], to[64];
	ssize_t n;

	if (sysfs_read(text, sizeof(text), s->root, "/proc/%d/syscall",
		       (int)pid) < 0)
		return false;
	snprintf(path, sizeof(path), "%d 0x0 ", SYS_read);
	if (strncmp(text, path, strlen(path)) != 0)
		return false;
	snprintf(path, sizeof(path), "%s/proc/%d/fd/0", s->root, (int)pid);
	n = readlink(path, to, sizeof(to) - 1);
	if (n < 0)
		return false;
	to[n] = '\0';
	return !strncmp(to, "/dev/pts/", 9) || !strncmp(to, "/dev/tty", 8);
}

bool signs_is_held(struct signs *s)
{
	bool held = false;

	for (unsigned i = 0; i < s->n; i++) {
		struct signs_of_process *p = &s->process[i];
		pid_t before = p->tracer;

		p->tracer = read_tracer(s, p->pid);
		held |= p->tracer && p->tracer == before;
		held |= reads_terminal(s, p->pid);
	}
	return held;
}
