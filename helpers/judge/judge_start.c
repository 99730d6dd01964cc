/* SPDX-License-Identifier: Apache-2.0 */
/* What is looked at before the start of a step (key check). */
#include "helpers/judge/findings.h"

#include <stdio.h>
#include <string.h>

#define RUN_DIR_MIB   64
#define RUN_DIR_FILES 100

/* run-dir FREE_MIB FREE_FILES|-1 PATH */
static void judge_run_dir(struct doctor *d, const char *check, unsigned node,
			  const char *text)
{
	long left, files;
	int at = 0;

	if (sscanf(text, "%ld %ld %n", &left, &files, &at) != 2 || !at)
		return;
	if (left < RUN_DIR_MIB)
		WARN("remove old files there, or choose another folder "
		     "(rundir= in plugstack.conf)",
		     "only %ld MiB are free in %s, the folder for the step's "
		     "files",
		     left, text + at);
	if (files >= 0 && files < RUN_DIR_FILES)
		WARN("remove old files there, or choose another folder "
		     "(rundir= in plugstack.conf)",
		     "only %ld more files can be made in %s, the folder for "
		     "the step's files",
		     files, text + at);
}

/* run-dir-fault PATH: WHY, or that nothing answers */
static void judge_run_dir_fault(struct doctor *d, const char *check,
				unsigned node, const char *text)
{
	FAIL("look at the file system of that folder (df, df -i, mount), or "
	     "choose another one (rundir= in plugstack.conf)",
	     "the folder for the step's files can't be written: %s", text);
}

/* dev-npu ID WHY */
static void judge_npu_file(struct doctor *d, const char *check, unsigned node,
			   const char *text)
{
	char id[16];
	int at = 0;

	if (sscanf(text, "%15s %n", id, &at) == 1 && at)
		FAIL("drain the node; npu-smi info and dmesg there say more",
		     "/dev/davinci%s can't be opened: %s", id, text + at);
}

/* npu-health ID CODE WORD, as DCMI has it */
static void judge_npu_health(struct doctor *d, const char *check, unsigned node,
			     const char *text)
{
	int code, at = 0;
	char id[16];

	if (sscanf(text, "%15s %d %n", id, &code, &at) != 2 || !at)
		return;
	doctor_find(d, code >= 3 ? DOCTOR_FAIL : DOCTOR_WARN, check, node,
		    "npu-smi info -t health -i CARD says why; drain the node "
		    "if a reset doesn't cure it",
		    "NPU %s: the driver reports a %s", id, text + at);
}

/* dev-late WHAT */
static void judge_late(struct doctor *d, const char *check, unsigned node,
		       const char *text)
{
	FAIL("look into dmesg on that node: a driver hangs", "%s", text);
}

/* dev-holder PID NAME DEVICE: a process of no step */
static void judge_holder(struct doctor *d, const char *check, unsigned node,
			 const char *text)
{
	char pid[24], name[32], device[128];

	if (sscanf(text, "%23s %31s %127s", pid, name, device) == 3)
		WARN("end it: it may be left of a step that has ended",
		     "process %s (%s) holds %s and belongs to no step", pid,
		     name, device);
}

/* check-program STATUS PATH: TEXT */
static void judge_program_of_site(struct doctor *d, const char *check,
				  unsigned node, const char *text)
{
	int status, at = 0;

	if (sscanf(text, "%d %n", &status, &at) == 1 && at)
		FAIL("run that program on the node by hand",
		     "check-program ended with exit status %d, %s", status,
		     text + at);
}

/* clock-apart SECONDS NODE: by that much more than a message takes; no NODE of
 * the step is srun's host */
static void judge_clock(struct doctor *d, const char *check, unsigned node,
			const char *text)
{
	unsigned other;
	long seconds;

	if (sscanf(text, "%ld %u", &seconds, &other) == 2)
		WARN("synchronise the clock (chrony, ntpd)",
		     "the clock is %ld s %s that of %s",
		     seconds < 0 ? -seconds : seconds,
		     seconds < 0 ? "behind" : "ahead of",
		     other < d->nnodes ? d->node[other] : "srun's host");
}

const struct doctor_check doctor_start_checks[] = {
	{"run-dir", "run-dir-fault", judge_run_dir_fault, NULL},
	{"run-dir", "run-dir", judge_run_dir,
	 "the folder for the step's files has room"},
	{"npu-files", "dev-npu", judge_npu_file, NULL},
	{"npu-health", "npu-health", judge_npu_health, NULL},
	{"devices", "dev-late", judge_late, NULL},
	{"devices", "dev-holder", judge_holder, NULL},
	{"check-program", "check-program", judge_program_of_site, NULL},
	{"clock", "clock-apart", judge_clock, NULL},
	{NULL, NULL, NULL, NULL},
};
