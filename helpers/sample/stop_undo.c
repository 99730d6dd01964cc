/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/sample/sample_rank.h"

#include "core/base/err.h"
#include "helpers/sample/proc_look.h"
#include "sys/folder.h"

#include <ctype.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define STATUS_SIZE 4096

/* Of all its threads. */
struct stops {
	pid_t pid;
	bool stopped, held;
};

/* Behind "KEY:\t", or "". */
static const char *value(const char *status, const char *key)
{
	const char *at = strstr(status, key);

	return at ? at + strlen(key) : "";
}

/* Attaching sends SIGSTOP to a thread, which takes it when it leaves the
 * kernel. */
static void visit(void *arg, int fd, const char *tid)
{
	struct stops *s = arg;
	char name[64], status[STATUS_SIZE], state;
	uint64_t pending;

	(void)fd;
	if (!isdigit((unsigned char)*tid))
		return;
	snprintf(name, sizeof(name), "task/%.20s/status", tid);
	proc_text(s->pid, name, ' ', status, sizeof(status));
	state = *value(status, "\nState:\t");
	pending = strtoull(value(status, "\nSigPnd:\t"), NULL, 16) |
		  strtoull(value(status, "\nShdPnd:\t"), NULL, 16);
	s->held |= state == 't';
	s->stopped |= state == 'T' || (pending >> (SIGSTOP - 1) & 1);
}

static struct stops look(pid_t pid)
{
	struct stops stops = {.pid = pid};
	cleanup_close int fd = -1;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		folder_each(fd, visit, &stops);
	return stops;
}

void stop_undo_begin(struct stop_undo *u, pid_t pid)
{
	struct proc_id id;

	if (proc_id_read(pid, &id) < 0)
		return;
	u->id.start = id.start;
	__atomic_store_n(&u->id.pid, pid, __ATOMIC_RELEASE);
}

bool stop_undo(const struct stop_undo *u)
{
	struct stops stops;

	if (!stop_undo_is_open(u) || !proc_id_is_there(&u->id))
		return true;
	stops = look(u->id.pid);
	if (!stops.held && stops.stopped)
		kill(u->id.pid, SIGCONT);
	return !stops.held;
}

void stop_undo_end(struct stop_undo *u)
{
	__atomic_store_n(&u->id.pid, 0, __ATOMIC_RELEASE);
}

bool stop_undo_is_open(const struct stop_undo *u)
{
	return __atomic_load_n(&u->id.pid, __ATOMIC_ACQUIRE) != 0;
}
