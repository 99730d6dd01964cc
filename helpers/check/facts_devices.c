/* SPDX-License-Identifier: Apache-2.0 */
/* The device files of this node, and who holds them, as facts. */
#include "core/base/parse.h"
#include "helpers/check/node_facts.h"
#include "helpers/npu/devinfo.h"
#include "sys/folder.h"
#include "sys/proc_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANCESTORS_MAX 64
#define NVIDIA	      "nvidia"
#define AMD	      "renderD"
#define NPU	      "davinci"

/* --- can they be opened --- */

struct openable {
	const char *prefix; /* of the files' names */
	int opened, there;
	char why[128]; /* the first one that can't be opened, and why */
};

static bool is_numbered(const char *name, const char *prefix)
{
	size_t n = strlen(prefix);
	long id;

	return !strncmp(name, prefix, n) &&
	       parse_number(name + n, 0, INT_MAX, &id) == 0;
}

/* Returns 0 or an errno. Opening changes nothing: no program runs on it. */
static int try_open(int dir, const char *name)
{
	cleanup_close int fd =
		openat(dir, name, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	return fd < 0 ? errno : 0;
}

/* EPERM: the cgroup gives the device to another job. */
static void visit_device(void *arg, int dir, const char *name)
{
	struct openable *o = arg;
	int why;

	if (!is_numbered(name, o->prefix))
		return;
	o->there++;
	why = try_open(dir, name);
	o->opened += !why;
	if (why && why != EPERM && !*o->why)
		snprintf(o->why, sizeof(o->why), "%.40s: %s", name,
			 strerror(why));
}

/* dev-gpu GIVEN OPENED THERE [NAME: WHY] */
static void tell_gpu_files(int out, const char *folder, const char *prefix,
			   int given)
{
	struct openable o = {.prefix = prefix};
	char path[PATH_MAX];
	cleanup_close int dir = -1;

	snprintf(path, sizeof(path), "%s%s", hardware_root(), folder);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return;
	folder_each(dir, visit_device, &o);
	if (o.there)
		dprintf(out, "dev-gpu %d %d %d %s\n", given, o.opened, o.there,
			o.why);
}

/* dev-npu ID WHY. ENXIO: no driver has taken that number, as on a node whose
 * NPUs nobody uses; where one has, its library says what is wrong. */
static void tell_npu_files(int out, const struct idlist *npus)
{
	char path[PATH_MAX];

	for (unsigned i = 0; i < npus->n; i++) {
		int why;

		snprintf(path, sizeof(path), "%s/dev/" NPU "%u", devinfo_root(),
			 npus->id[i]);
		why = try_open(AT_FDCWD, path);
		if (why && why != ENXIO)
			dprintf(out, "dev-npu %u %s\n", npus->id[i],
				strerror(why));
	}
}

/* npu-health ID CODE WORDS; above 3 the driver doesn't have the device */
static void tell_npu_health(void *arg, unsigned id, unsigned health)
{
	static const char *const words[] = {"", "minor alarm", "major alarm",
					    "critical alarm"};

	if (health)
		dprintf(*(int *)arg, "npu-health %u %u %s\n", id,
			health < 4 ? health : 4,
			health < 4 ? words[health]
				   : "device that hasn't started");
}

void facts_npus(int out, const struct idlist *npus)
{
	tell_npu_files(out, npus);
	devinfo_health(npus, tell_npu_health, &out);
}

/* --- who holds them --- */

struct holder {
	int out;
	const char *pid;
	bool found;
};

/* Whether slurmstepd is above it: its step still runs. */
static bool is_of_a_step(pid_t pid)
{
	struct proc_stat s;

	for (int i = 0; i < ANCESTORS_MAX; i++, pid = s.parent) {
		if (proc_stat_read("", pid, 0, &s) < 0)
			return false;
		if (!strncmp(s.name, "slurmstepd", 10))
			return true;
		if (s.parent <= 1)
			return false;
	}
	return true;
}

static bool is_device(const char *path)
{
	static const char *const of[] = {NVIDIA, AMD, NPU};
	const char *name = strstr(path, "/dev/") ? strrchr(path, '/') : NULL;

	for (size_t i = 0; name && i < sizeof(of) / sizeof(*of); i++)
		if (is_numbered(name + 1, of[i]))
			return true;
	return false;
}

static void visit_fd(void *arg, int dir, const char *fd)
{
	struct holder *h = arg;
	struct proc_stat s = {.name = "?"};
	pid_t pid = (pid_t)atoi(h->pid);
	char path[PATH_MAX];
	ssize_t n = h->found ? -1 : readlinkat(dir, fd, path, sizeof(path) - 1);

	if (n <= 0)
		return;
	path[n] = '\0';
	if (!is_device(path) || is_of_a_step(pid))
		return;
	h->found = true;
	proc_stat_read("", pid, 0, &s);
	for (char *c = s.name; *c; c++)
		if (!isgraph((unsigned char)*c))
			*c = '_';
	dprintf(h->out, "dev-holder %s %s %s\n", h->pid, s.name, path);
}

/* Only of this user's processes can one see what they have open. */
static void visit_process(void *arg, int proc, const char *pid)
{
	struct holder h = {.out = *(int *)arg, .pid = pid};
	char path[32];
	cleanup_close int dir = -1;

	if (!isdigit((unsigned char)*pid))
		return;
	snprintf(path, sizeof(path), "%.20s/fd", pid);
	dir = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir >= 0)
		folder_each(dir, visit_fd, &h);
}

void facts_devices(int out, int given)
{
	cleanup_close int proc =
		open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (facts_gpus_in_parts())
		given = -1;
	tell_gpu_files(out, "/dev", NVIDIA, given);
	tell_gpu_files(out, "/dev/dri", AMD, given);
	if (proc >= 0)
		folder_each(proc, visit_process, &out);
}
