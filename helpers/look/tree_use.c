/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/look/tree_use.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct walk {
	const char *proc;
	struct tree_use use;
	uint64_t most_ticks; /* of one process */
	unsigned n, max;     /* found so far */
	pid_t *pid;
};

static FILE *open_of(const struct walk *w, pid_t pid, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%d/%s", w->proc, (int)pid, name);
	return fopen(path, "re");
}

/* The fields of stat(5) from the third on: the second is the program's name,
 * and may hold anything. Those wanted: state, utime, stime and the same of
 * children that were waited for. */
static int read_stat(struct walk *w, pid_t pid)
{
	unsigned long user, system;
	long ended_user, ended_system, pages;
	char text[1024], state;
	FILE *f = open_of(w, pid, "stat");
	const char *end;
	size_t n;

	if (!f)
		return -1;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	end = strrchr(text, ')');
	if (!end ||
	    sscanf(end,
		   ") %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lu %lu %ld "
		   "%ld %*s %*s %*s %*s %*s %*s %ld",
		   &state, &user, &system, &ended_user, &ended_system,
		   &pages) != 6)
		return -1;
	if (!w->use.nprocs || user + system > w->most_ticks) {
		w->most_ticks = user + system;
		w->use.state = state;
	}
	w->use.nprocs++;
	w->use.cpu_ms += (uint64_t)(user + system + (unsigned long)ended_user +
				    (unsigned long)ended_system) *
			 1000 / (uint64_t)sysconf(_SC_CLK_TCK);
	w->use.rss_kib +=
		(uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
	return 0;
}

static void read_written(struct walk *w, pid_t pid)
{
	FILE *f = open_of(w, pid, "io");
	long long written;

	if (!f)
		return;
	if (fscanf(f, "rchar: %*s wchar: %lld", &written) == 1)
		w->use.written += written + (w->use.written < 0);
	fclose(f);
}

/* A parent may be any thread of a process. */
static void add_children(struct walk *w, pid_t pid, const char *thread)
{
	char name[64];
	FILE *f;
	int child;

	snprintf(name, sizeof(name), "task/%.20s/children", thread);
	f = open_of(w, pid, name);
	while (f && w->n < w->max && fscanf(f, "%d", &child) == 1)
		w->pid[w->n++] = child;
	if (f)
		fclose(f);
}

static void find_children(struct walk *w, pid_t pid)
{
	char path[PATH_MAX];
	struct dirent *e;
	DIR *threads;

	snprintf(path, sizeof(path), "%s/%d/task", w->proc, (int)pid);
	threads = opendir(path);
	while (threads && w->n < w->max && (e = readdir(threads)))
		if (*e->d_name != '.')
			add_children(w, pid, e->d_name);
	if (threads)
		closedir(threads);
}

int tree_use(const char *proc, pid_t pid, struct tree_use *ret)
{
	pid_t found[TREE_PROCESSES] = {pid};
	struct walk w = {
		.proc = proc,
		.use = {.written = -1},
		.n = 1,
		.max = TREE_PROCESSES,
		.pid = found,
	};

	for (unsigned i = 0; i < w.n; i++) {
		if (read_stat(&w, found[i]) < 0) {
			if (i == 0)
				return -1;
			continue;
		}
		read_written(&w, found[i]);
		find_children(&w, found[i]);
	}
	*ret = w.use;
	return 0;
}
