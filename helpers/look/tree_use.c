/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/look/look_state.h"

#include "core/facts/rows.h"
#include "sys/loop.h"
#include "sys/proc_file.h"

#include <unistd.h>

struct tree_use {
	unsigned nprocs;
	char state;	     /* of the one that has taken the most CPU: R, S, D,
				T, Z, ... as in ps */
	uint64_t cpu_ms;     /* of all, those that have ended too */
	uint64_t rss_kib;    /* memory that several share counts for each */
	long long written;   /* bytes, by write() to anything; -1: not told */
	uint64_t most_ticks; /* of one process */
};

static int add(struct tree_use *use, const char *root, pid_t pid)
{
	struct proc_stat s;
	struct proc_io io;

	if (proc_stat_read(root, pid, 0, &s) < 0)
		return -1;
	if (!use->nprocs++ || s.ticks > use->most_ticks) {
		use->most_ticks = s.ticks;
		use->state = s.state;
	}
	use->cpu_ms += (s.ticks + s.ended_ticks) * 1000 /
		       (uint64_t)sysconf(_SC_CLK_TCK);
	use->rss_kib += s.rss_kib;
	if (proc_io_read(root, pid, &io) == 0)
		use->written +=
			(long long)io.written_chars + (use->written < 0);
	return 0;
}

void tree_use_tell(FILE *f, const char *root, unsigned rank, pid_t pid)
{
	struct tree_use use = {.written = -1};
	pid_t found[TREE_PROCESSES];
	unsigned n = proc_descendants(root, pid, found, TREE_PROCESSES);

	for (unsigned i = 0; i < n; i++)
		if (add(&use, root, found[i]) < 0 && i == 0)
			return;
	row_begin(f, "use");
	row_number(f, rank);
	row_number(f, pid);
	row_number(f, (long long)loop_now_ms());
	fprintf(f, "\t%c", use.state);
	row_number(f, use.nprocs);
	row_number(f, (long long)use.cpu_ms);
	row_number(f, (long long)use.rss_kib);
	row_number(f, use.written);
	row_end(f);
}
