/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/orphans.h"

#include "sys/loop.h"
#include "sys/proc_file.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ORPHANS_MS	1000
#define ORPHANS_POLL_MS 1

/* A pid of 0: a free place. */
static struct proc_id spared[SPARED_MAX];

/* --- those that are spared --- */

static bool is_spared(const struct proc_id *s, const struct proc_id *child)
{
	return s->pid == child->pid && s->start == child->start;
}

static bool is_left_by(const struct proc_id *s, const struct proc_id *child)
{
	return s->pid && s->pid == child->session && s->pid != child->pid;
}

static void note_used(void *arg, pid_t pid)
{
	bool *used = arg;
	struct proc_id child;

	if (proc_id_read(pid, &child) < 0)
		return;
	for (unsigned i = 0; i < SPARED_MAX; i++)
		used[i] |= is_spared(&spared[i], &child) ||
			   is_left_by(&spared[i], &child);
}

unsigned orphans_nspared(void)
{
	bool used[SPARED_MAX] = {false};
	unsigned n = 0;

	proc_children_each("", getpid(), getpid(), note_used, used);
	for (unsigned i = 0; i < SPARED_MAX; i++) {
		if (!used[i])
			spared[i].pid = 0;
		n += used[i];
	}
	return n;
}

void orphans_spare(pid_t pid)
{
	orphans_nspared(); /* frees places */
	for (unsigned i = 0; i < SPARED_MAX; i++) {
		if (spared[i].pid)
			continue;
		if (proc_id_read(pid, &spared[i]) < 0)
			spared[i].pid = 0;
		return;
	}
}

/* --- the others --- */

struct killing {
	pid_t kept;
	unsigned n;
};

static void kill_one(void *arg, pid_t pid)
{
	struct killing *k = arg;
	struct proc_id child = {.pid = pid};
	bool counts = true;

	if (pid == k->kept)
		return;
	proc_id_read(pid, &child);
	for (unsigned i = 0; i < SPARED_MAX; i++) {
		if (is_spared(&spared[i], &child))
			return;
		counts = counts && !is_left_by(&spared[i], &child);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, WNOHANG);
	k->n += counts;
}

unsigned orphans_kill_of(pid_t parent, pid_t kept)
{
	struct killing k = {.kept = kept};

	proc_children_each("", parent, parent, kill_one, &k);
	return k.n;
}

unsigned orphans_kill(pid_t kept)
{
	return orphans_kill_of(getpid(), kept);
}

/* Processes that the ended workers have left are our children now (subreaper).
 * Send SIGKILL until none is left, but don't wait for one that hangs in a
 * driver or has become root: the step waits for us. */
void orphans_end(pid_t kept)
{
	const struct timespec pause = {.tv_nsec = ORPHANS_POLL_MS * 1000000L};
	uint64_t until = loop_now_ms() + ORPHANS_MS;

	while (orphans_kill(kept) && loop_now_ms() < until)
		nanosleep(&pause, NULL);
}
