/* SPDX-License-Identifier: Apache-2.0 */
/* On a node: files and processes of ours and of this user whose step is over.
 */
#include "core/facts/handover.h"
#include "helpers/cli/doctor/doctor.h"
#include "helpers/sample/proc_look.h"
#include "sys/proc_file.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROGRAM	  "dist-train-laun" /* as far as the kernel keeps it */
#define STEPD	  "slurmstepd"
#define STEPS_MAX 256

#define ENDING_MS    100
#define ENDING_TRIES 20

/* Steps of this user that run here, each "JOB.STEP". */
struct steps {
	char id[STEPS_MAX][32];
	unsigned n;
};

static void add_step(struct steps *s, pid_t pid)
{
	char job[16], step[16];

	if (s->n < STEPS_MAX &&
	    proc_env(pid, "SLURM_JOB_ID", job, sizeof(job)) == 0 &&
	    proc_env(pid, "SLURM_STEP_ID", step, sizeof(step)) == 0)
		snprintf(s->id[s->n++], sizeof(s->id[0]), "%s.%s", job, step);
}

static bool is_called(const struct proc_stat *p, const char *name)
{
	return !strncmp(p->name, name, strlen(name));
}

/* One of ours; of one that has ended the parent may keep the number. */
static bool is_launcher(const char *pid, struct proc_stat *ret)
{
	return proc_stat_read("", atoi(pid), 0, ret) == 0 &&
	       ret->state != 'Z' && is_called(ret, PROGRAM);
}

/* One that was killed may be in a driver's call for a while. */
static bool stays(const char *pid)
{
	struct proc_stat now;

	for (unsigned i = 0; i < ENDING_TRIES && is_launcher(pid, &now); i++)
		usleep(ENDING_MS * 1000);
	return is_launcher(pid, &now);
}

/* A launcher of a running step is a child of slurmstepd, and what it asks a
 * driver with is a child of the launcher. */
static void judge_process(struct steps *steps, const char *pid,
			  const struct proc_stat *launcher)
{
	struct proc_stat parent = {.name = ""};

	proc_stat_read("", launcher->parent, 0, &parent);
	if (is_called(&parent, STEPD))
		add_step(steps, atoi(pid));
	else if (!is_called(&parent, PROGRAM) && stays(pid))
		doctor_tell("leftover", "process %s, dist-train-launch", pid);
}

static bool is_mine(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && st.st_uid == getuid();
}

static void look_processes(struct steps *steps)
{
	DIR *d = opendir("/proc");
	struct proc_stat launcher;
	struct dirent *e;
	char path[300];

	while (d && (e = readdir(d))) {
		snprintf(path, sizeof(path), "/proc/%s", e->d_name);
		if (isdigit((unsigned char)*e->d_name) && is_mine(path) &&
		    is_launcher(e->d_name, &launcher))
			judge_process(steps, e->d_name, &launcher);
	}
	if (d)
		closedir(d);
}

/* Whether "JOB.STEP.REQUEUE-XXXXXX" is of a step that runs. */
static bool runs(const struct steps *steps, const char *id)
{
	for (unsigned i = 0; i < steps->n; i++) {
		size_t n = strlen(steps->id[i]);

		if (!strncmp(steps->id[i], id, n) && id[n] == '.')
			return true;
	}
	return false;
}

static void look_folders(const struct steps *steps)
{
	DIR *d = opendir(RUN_DIR_DEFAULT);
	size_t len = strlen(RUN_DIR_PREFIX);
	struct dirent *e;
	char path[300];

	while (d && (e = readdir(d))) {
		snprintf(path, sizeof(path), RUN_DIR_DEFAULT "/%s", e->d_name);
		if (!strncmp(e->d_name, RUN_DIR_PREFIX, len) &&
		    isdigit((unsigned char)e->d_name[len]) && is_mine(path) &&
		    !runs(steps, e->d_name + len))
			doctor_tell("leftover", "%s", path);
	}
	if (d)
		closedir(d);
}

void doctor_look_leftovers(void)
{
	struct steps steps = {.n = 0};

	look_processes(&steps);
	look_folders(&steps);
	doctor_tell("looked", " ");
}
