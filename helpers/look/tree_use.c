/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/look/tree_use.h"

#include "sys/proc_file.h"

#include <unistd.h>

struct walk {
	struct tree_use use;
	uint64_t most_ticks; /* of one process */
};

static int add(struct walk *w, const char *root, pid_t pid)
{
	struct proc_stat s;
	struct proc_io io;

	if (proc_stat_read(root, pid, 0, &s) < 0)
		return -1;
	if (!w->use.nprocs++ || s.ticks > w->most_ticks) {
		w->most_ticks = s.ticks;
		w->use.state = s.state;
	}
	w->use.cpu_ms += (s.ticks + s.ended_ticks) * 1000 /
			 (uint64_t)sysconf(_SC_CLK_TCK);
	w->use.rss_kib += s.rss_kib;
	if (proc_io_read(root, pid, &io) == 0)
		w->use.written +=
			(long long)io.written_chars + (w->use.written < 0);
	return 0;
}

int tree_use(const char *root, pid_t pid, struct tree_use *ret)
{
	struct walk w = {.use = {.written = -1}};
	pid_t found[TREE_PROCESSES];
	unsigned n = proc_descendants(root, pid, found, TREE_PROCESSES);

	for (unsigned i = 0; i < n; i++)
		if (add(&w, root, found[i]) < 0 && i == 0)
			return -1;
	*ret = w.use;
	return 0;
}
