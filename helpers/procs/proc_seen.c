/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/procs/proc_seen.h"

#include "core/base/text.h"
#include "sys/proc_file.h"

#include <ctype.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A program may call itself anything. */
static void copy_name(char ret[SEEN_NAME_SIZE], const char *text, size_t n)
{
	if (n > SEEN_NAME_SIZE - 1)
		n = SEEN_NAME_SIZE - 1;
	for (size_t i = 0; i < n; i++)
		ret[i] = isprint((unsigned char)text[i]) ? text[i] : '?';
	ret[n] = '\0';
}

static void look_at_thread(const char *root, pid_t pid, long tid,
			   struct thread_seen *ret)
{
	char where[SEEN_NAME_SIZE];
	struct proc_stat stat;

	*ret = (struct thread_seen){0};
	if (proc_stat_read(root, pid, tid, &stat) < 0)
		return;
	ret->state = stat.state;
	proc_wchan_read(root, pid, tid, where, sizeof(where));
	copy_name(ret->where, where, strlen(where));
}

static bool has_signal(const char *status, const char *key, int sig)
{
	uint64_t mask = strtoull(proc_status_value(status, key), NULL, 16);

	return mask >> (sig - 1) & 1;
}

/* Its other threads. */
struct others {
	const char *root;
	struct proc_seen *p;
	unsigned left;
};

static void look_at_other(void *arg, long tid)
{
	struct others *o = arg;
	struct proc_seen *p = o->p;
	struct thread_seen t;

	if (tid == p->pid || !o->left)
		return;
	o->left--;
	look_at_thread(o->root, p->pid, tid, &t);
	p->nrunning += t.state == 'R';
	if (t.state == 'D' && !p->nstuck++)
		memcpy(p->stuck, t.where, sizeof(p->stuck));
}

int proc_seen_look(const char *root, pid_t pid, struct proc_seen *ret)
{
	char status[PROC_STATUS_SIZE];
	struct proc_seen p = {.pid = pid};
	const char *name;

	look_at_thread(root, pid, pid, &p.main);
	if (sysfs_read(status, sizeof(status), root, "/proc/%d/status",
		       (int)pid) < 0)
		return -1;
	p.nthreads = (unsigned)atoi(proc_status_value(status, "Threads"));
	if (!p.main.state || (p.main.state == 'Z' && p.nthreads <= 1))
		return -1;
	name = proc_status_value(status, "Name");
	copy_name(p.name, name, strcspn(name, "\n"));
	p.catches = has_signal(status, "SigCgt", SIGABRT);
	p.blocked = has_signal(status, "SigBlk", SIGABRT);
	proc_threads_each(root, pid, look_at_other,
			  &(struct others){root, &p, SEEN_THREADS});
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
		 one ? "which" : "the main one",
		 proc_state_words(seen->main.state));
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
