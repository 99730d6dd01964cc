/* SPDX-License-Identifier: Apache-2.0 */
/* A launcher's own ranks. */
#include "helpers/ending/ending_state.h"

#include "core/base/parse.h"
#include "helpers/launch/launch.h"
#include "helpers/look/look.h"
#include "sys/epoch.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROWS_MAX (64U << 10)
#define LATE_MS	 2000
#define LEFT_MS	 200 /* of a sight's time, for the answer's way */

static void end_child(struct ending *e)
{
	if (e->child.pid > 0)
		subprocess_kill(&e->child, SIGKILL);
	subprocess_close(&e->child);
	e->child = (struct subprocess){0};
	loop_disarm(&e->launch->loop, &e->deadline);
}

static void forget(struct ending *e)
{
	end_child(e);
	free(e->work.rank);
	free(e->rows);
	e->work.rank = NULL;
	e->rows = NULL;
	e->n = 0;
	e->sight = NULL;
}

static void answer(void *arg)
{
	struct ending *e = arg;

	e->rows[e->n] = '\0';
	sight_tell(e->sight, e->rows);
}

static void on_rows(void *arg, const char *data, size_t n)
{
	struct ending *e = arg;

	if (n > ROWS_MAX - e->n)
		n = ROWS_MAX - e->n;
	memcpy(e->rows + e->n, data, n);
	e->n += n;
	if (!n)
		answer(e);
}

/* For programs that rather look than be interrupted. It stays: a process that
 * starts later finds it, too. */
static void make_stop_file(const struct launch *l)
{
	int fd = openat(l->run_dir.fd, STOP_FILE,
			O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd >= 0)
		close(fd);
}

static unsigned find_ranks(const struct procs *procs, struct ending_rank *ret)
{
	unsigned n = 0;

	for (unsigned i = 0; i < procs->n; i++) {
		const struct proc *w = &procs->proc[i];

		if (w->pid > 0 && !w->ended && !w->process.added)
			ret[n++] =
				(struct ending_rank){w->pid, w->process.rank};
	}
	return n;
}

/* The moment, by the centre's clock. A message may be late; a clock that is off
 * by more is none: then it is what the centre has meant when it sent this. */
static int64_t moment(const char *word)
{
	int64_t now = epoch_ms();
	long at;

	if (parse_number(word, 0, LONG_MAX, &at) < 0 || at < now - LATE_MS ||
	    at > now + LEAD_MS)
		return now + LEAD_MS;
	return at;
}

static int begin_child(struct ending *e, long ms, struct err *err)
{
	struct launch *l = e->launch;
	const struct subprocess_spec spec = {
		.run = ending_child,
		.arg = &e->work,
		/* Slurm's SIGTERM may be on its way, to all processes */
		.flags = SUBPROCESS_LOOKS | SUBPROCESS_SIGNALS,
	};

	e->rows = malloc(ROWS_MAX + 1);
	e->work.rank = calloc(l->procs.n, sizeof(*e->work.rank));
	if (!e->rows || !e->work.rank)
		return err_memory(err);
	e->work.n = find_ranks(&l->procs, e->work.rank);
	e->work.limit_ms = ms - LEFT_MS;
	if (subprocess_start(&spec, &e->child, err) < 0)
		return -1;
	loop_arm(&l->loop, &e->deadline, (uint64_t)ms - LEFT_MS / 2);
	return subprocess_watch(&e->child, &l->loop, on_rows, e, err);
}

/* MOMENT, in milliseconds since the epoch */
void ending_begin(struct sight *sight, const char *words)
{
	struct ending *e = sight_launch(sight)->ending;
	struct err err;

	if (!e || e->told) {
		sight_tell(sight, "");
		return;
	}
	e->told = true;
	session_outcome(e->launch->session, OUTCOME_SIGNALLED);
	e->sight = sight;
	sight_keep(sight, e);
	e->work.signal = e->signal.number;
	e->work.at_ms = moment(words);
	e->deadline = (struct loop_timer){.expired = answer, .arg = e};
	make_stop_file(e->launch);
	if (begin_child(e, sight_ms(sight), &err) < 0)
		sight_tell(sight, "");
}

void ending_end(struct sight *sight)
{
	struct ending *e = sight_kept(sight);

	if (e)
		forget(e);
}
