/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/ending/ending_state.h"

#include "helpers/sample/proc_look.h"
#include "helpers/sample/program_find.h"
#include "sys/epoch.h"
#include "sys/orphans.h"
#include "sys/proc_file.h"
#include "sys/text_file.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define STACK_SIZE (128U << 10)
#define POLL_MS	   2

/* One rank, in a thread of its own. */
struct telling {
	const struct ending_work *work;
	const struct ending_rank *rank;
	int out;
	atomic_uint *left; /* threads that haven't done */
};

static void sleep_ms(int64_t ms)
{
	struct timespec t = {.tv_sec = ms / 1000,
			     .tv_nsec = ms % 1000 * 1000000};

	if (ms > 0)
		nanosleep(&t, NULL);
}

static bool handles(pid_t pid, int sig)
{
	return proc_has_signal("", pid, "SigCgt", sig);
}

/* Whom to signal below a process that only waits for others, or for that
 * process itself: an index, or -1. Who handles the signal answers for all that
 * it has started: the workers of a data loader have their parent's handlers. */
static int listener(const struct process_node *node, unsigned n, int at,
		    int sig)
{
	if (handles(node[at].pid, sig))
		return at;
	for (unsigned i = (unsigned)at + 1; i < n && node[at].waits; i++)
		if (node[i].parent == at) {
			int below = listener(node, n, (int)i, sig);

			if (below >= 0)
				return below;
		}
	return -1;
}

/* A shell with a trap, or a launcher that passes signals on, is asked before
 * what it has started. Not where programs have ranks of their own: torchrun
 * ends its workers by a signal that it handles. */
static int foremost(const struct process_node *node, unsigned n,
		    const struct program *program, long rank, int sig)
{
	int first = -1;

	for (int up = program->index; up >= 0 && program->rank == rank;
	     up = node[up].parent)
		if (handles(node[up].pid, sig))
			first = up;
	return first < 0 ? listener(node, n, program->index, sig) : first;
}

/* `pid`: who was told; 0: nobody. */
static void tell_row(const struct telling *t, long rank, pid_t pid)
{
	char row[80];
	int n = snprintf(row, sizeof(row), "%s\t%ld\t%ld",
			 pid ? "told" : "deaf", rank, (long)t->rank->pid);

	if (pid)
		n += snprintf(row + n, sizeof(row) - (size_t)n, "\t%ld",
			      (long)pid);
	row[n++] = '\n';
	write_full(t->out, row, (size_t)n);
}

static bool was_told(const struct ending_work *work, pid_t pid)
{
	for (unsigned i = 0; i < work->nbefore; i++)
		if (work->before[i] == pid)
			return true;
	return false;
}

/* Returns whether it has the signal, now or from before. */
static bool signal_it(const struct ending_work *work, pid_t pid)
{
	return pid && (was_told(work, pid) || kill(pid, work->signal) == 0);
}

/* The launcher may have been slow, and the process's number be another's. */
static bool is_ours(pid_t pid, pid_t launcher)
{
	struct proc_id id;

	return proc_id_read(pid, &id) == 0 && id.parent == launcher;
}

static void tell(const struct telling *t, struct process_node *node)
{
	const int sig = t->work->signal;
	struct program program[PROGRAMS];
	pid_t pid[PROGRAMS];
	unsigned n, nprograms;

	if (!is_ours(t->rank->pid, getppid()))
		return;
	n = proc_tree(t->rank->pid, node);
	nprograms = programs_find(node, n, t->rank->rank, program);
	for (unsigned i = 0; i < nprograms; i++) {
		long own = nprograms == 1 ? (long)t->rank->rank : -1;
		int to = foremost(node, n, &program[i], own, sig);

		pid[i] = to < 0 ? 0 : node[to].pid;
	}
	sleep_ms(t->work->at_ms - epoch_ms());
	for (unsigned i = 0; i < nprograms; i++)
		tell_row(t, program[i].rank,
			 signal_it(t->work, pid[i]) ? pid[i] : 0);
}

static void *run(void *arg)
{
	struct telling *t = arg;
	struct process_node *node = calloc(PROGRAM_NODES, sizeof(*node));

	if (node)
		tell(t, node);
	free(node);
	atomic_fetch_sub(t->left, 1);
	return NULL;
}

static bool start(struct telling *t)
{
	pthread_attr_t attr;
	pthread_t thread;
	int rc;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	rc = pthread_create(&thread, &attr, run, t);
	pthread_attr_destroy(&attr);
	return rc == 0;
}

int ending_child(const int fd[2], const void *arg)
{
	const struct ending_work *work = arg;
	uint64_t until = loop_now_ms() + (uint64_t)work->limit_ms;
	/* Threads that hang may still use both when this process exits */
	struct telling *telling = calloc(work->n, sizeof(*telling));
	static atomic_uint left;

	if (!telling)
		return EXIT_FAILURE;
	left = work->n;
	for (unsigned i = 0; i < work->n; i++) {
		telling[i] =
			(struct telling){work, &work->rank[i], fd[1], &left};
		if (!start(&telling[i]))
			atomic_fetch_sub(&left, 1);
	}
	while (atomic_load(&left) && loop_now_ms() < until)
		sleep_ms(POLL_MS);
	return EXIT_SUCCESS;
}
