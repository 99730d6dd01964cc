/* SPDX-License-Identifier: Apache-2.0 */
/* A launcher's own ranks. Who had no handler at the moment may only be
 * starting: it is looked at again, as are the processes of a restart. */
#include "helpers/ending/ending_state.h"

#include "core/base/array.h"
#include "core/base/err.h"
#include "core/facts/rows.h"
#include "helpers/part/sight.h"
#include "sys/epoch.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROWS_MAX (64U << 10)
#define LEFT_MS	 200 /* of a sight's time, for the answer's way */

/* Between two looks at who had no handler; twice as long each time. */
#define AGAIN_MS     250
#define AGAIN_MS_MAX 8000
#define AGAIN_FOR_MS 2000 /* such a look may take */

/* --- who has it --- */

static bool is_in(const struct ending_pids *pids, pid_t pid)
{
	for (unsigned i = 0; i < pids->n; i++)
		if (pids->pid[i] == pid)
			return true;
	return false;
}

static void add(struct ending_pids *pids, pid_t pid)
{
	if (pid <= 0 || is_in(pids, pid))
		return;
	/* Where there's no memory that one may get it once more */
	if (array_append(&pids->pid, pids->n, sizeof(pid)))
		pids->pid[pids->n++] = pid;
}

/* Of the child's rows. A rank may have several, one for each of its programs.
 */
static void keep_rows(struct ending *e)
{
	cleanup_free char *text = strdup(e->rows);
	struct ending_pids deaf = {NULL, 0}, told = {NULL, 0};
	char *field[ROW_FIELDS], *at = text;

	while (text && row_next(&at, field)) {
		bool has_it = !strcmp(field[0], "told");

		if (has_it)
			add(&e->got, (pid_t)strtol(field[3], NULL, 10));
		add(has_it ? &told : &deaf, (pid_t)strtol(field[2], NULL, 10));
	}
	for (unsigned i = 0; i < told.n; i++)
		if (!is_in(&deaf, told.pid[i]))
			add(&e->done, told.pid[i]);
	free(deaf.pid);
	free(told.pid);
}

/* --- the child --- */

static void end_child(struct ending *e)
{
	if (e->child.pid > 0)
		subprocess_kill(&e->child, SIGKILL);
	subprocess_close(&e->child);
	e->child = (struct subprocess){0};
	loop_disarm(e->v->loop, &e->deadline);
}

void ending_here_forget(struct ending *e)
{
	end_child(e);
	free(e->work.rank);
	free(e->rows);
	e->work.rank = NULL;
	e->rows = NULL;
	e->n = 0;
	e->sight = NULL;
}

/* The child has said all, or its time is over. */
static void finish(void *arg)
{
	struct ending *e = arg;

	e->rows[e->n] = '\0';
	keep_rows(e);
	if (e->sight)
		sight_tell(e->sight, e->rows); /* calls ending_end() */
	else
		ending_here_forget(e);
	loop_arm(e->v->loop, &e->again, e->pause_ms);
}

static void on_rows(void *arg, const char *data, size_t n)
{
	struct ending *e = arg;

	if (n > ROWS_MAX - e->n)
		n = ROWS_MAX - e->n;
	memcpy(e->rows + e->n, data, n);
	e->n += n;
	if (!n)
		finish(e);
}

/* For programs that rather look than be interrupted. It stays: a process that
 * starts later finds it, too. */
static void make_stop_file(const struct launch_view *v)
{
	int fd = openat(v->run_dir->fd, STOP_FILE,
			O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	close_fd(&fd);
}

/* Those whose programs don't have the signal yet; `ret` may be NULL. */
static unsigned find_ranks(const struct ending *e, struct ending_rank *ret)
{
	const struct procs *procs = e->v->procs;
	unsigned n = 0;

	for (unsigned i = 0; i < procs->n; i++) {
		const struct proc *w = &procs->proc[i];

		if (w->pid <= 0 || w->ended || w->process.added ||
		    is_in(&e->done, w->pid))
			continue;
		if (ret)
			ret[n] = (struct ending_rank){w->pid, w->process.rank};
		n++;
	}
	return n;
}

static int begin_child(struct ending *e, long ms, struct err *err)
{
	struct launch_view *v = e->v;
	const struct subprocess_spec spec = {
		.run = ending_child,
		.arg = &e->work,
		/* Slurm's SIGTERM may be on its way, to all processes */
		.flags = SUBPROCESS_LOOKS | SUBPROCESS_SIGNALS,
	};

	end_child(e);
	free(e->rows);
	free(e->work.rank);
	e->rows = malloc(ROWS_MAX + 1);
	e->work.rank = calloc(v->procs->n, sizeof(*e->work.rank));
	if (!e->rows || !e->work.rank)
		return err_memory(err);
	e->n = 0;
	e->work.n = find_ranks(e, e->work.rank);
	e->work.nbefore = e->got.n;
	e->work.before = e->got.pid;
	e->work.limit_ms = ms - LEFT_MS;
	e->deadline = (struct loop_timer){.expired = finish, .arg = e};
	if (subprocess_start(&spec, &e->child, err) < 0)
		return -1;
	loop_arm(v->loop, &e->deadline, (uint64_t)ms - LEFT_MS / 2);
	return subprocess_watch(&e->child, v->loop, on_rows, e, err);
}

/* --- when --- */

/* Nobody waits for that one's rows. */
static void look_again(void *arg)
{
	struct ending *e = arg;
	struct err err;

	if (e->pause_ms < AGAIN_MS_MAX)
		e->pause_ms *= 2;
	e->work.at_ms = epoch_ms();
	if (find_ranks(e, NULL) && begin_child(e, AGAIN_FOR_MS, &err) == 0)
		return;
	ending_here_forget(e);
	loop_arm(e->v->loop, &e->again, e->pause_ms);
}

int ending_tell(struct ending *e, int64_t at_ms, long ms, struct err *err)
{
	e->told = true;
	e->work.signal = e->signal.number;
	e->work.at_ms = at_ms;
	e->pause_ms = AGAIN_MS;
	e->again = (struct loop_timer){.expired = look_again, .arg = e};
	make_stop_file(e->v);
	if (begin_child(e, ms, err) == 0)
		return 0;
	loop_arm(e->v->loop, &e->again, e->pause_ms);
	return -1;
}

void ending_here_close(struct ending *e)
{
	loop_disarm(e->v->loop, &e->again);
	ending_here_forget(e);
	free(e->done.pid);
	free(e->got.pid);
}
