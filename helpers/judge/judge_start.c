/* SPDX-License-Identifier: Apache-2.0 */
/* What is looked at before the start of a step (key check). */
#include "helpers/judge/findings.h"

#include <stdio.h>

#define RUN_DIR_MIB   64
#define RUN_DIR_FILES 100

/* run-dir FREE_MIB FREE_FILES|-1 PATH */
static void judge_run_dir(const struct told *t)
{
	long left, files;
	int at = 0;

	if (sscanf(t->text, "%ld %ld %n", &left, &files, &at) != 2 || !at)
		return;
	if (left < RUN_DIR_MIB)
		WARN(t,
		     "remove old files there, or choose another folder "
		     "(rundir= in plugstack.conf)",
		     "only %ld MiB are free in %s, the folder for the step's "
		     "files",
		     left, t->text + at);
	if (files >= 0 && files < RUN_DIR_FILES)
		WARN(t,
		     "remove old files there, or choose another folder "
		     "(rundir= in plugstack.conf)",
		     "only %ld more files can be made in %s, the folder for "
		     "the step's files",
		     files, t->text + at);
}

/* npu-health ID CODE WORD, as DCMI has it */
static void judge_npu_health(const struct told *t)
{
	int code, at = 0;
	char id[16];

	if (sscanf(t->text, "%15s %d %n", id, &code, &at) != 2 || !at)
		return;
	FOUND(t, code >= 3 ? DOCTOR_FAIL : DOCTOR_WARN,
	      "npu-smi info -t health -i CARD says why; drain the node "
	      "if a reset doesn't cure it",
	      "NPU %s: the driver reports a %s", id, t->text + at);
}

/* clock-apart SECONDS NODE: by that much more than a message takes; no NODE of
 * the step is srun's host */
static void judge_clock(const struct told *t)
{
	unsigned other;
	long seconds;

	if (sscanf(t->text, "%ld %u", &seconds, &other) == 2)
		WARN(t, "synchronise the clock (chrony, ntpd)",
		     "the clock is %ld s %s that of %s",
		     seconds < 0 ? -seconds : seconds,
		     seconds < 0 ? "behind" : "ahead of",
		     other < t->d->nnodes ? t->d->node[other] : "srun's host");
}

const struct doctor_check doctor_start_checks[] = {
	/* run-dir-fault PATH: WHY, or that nothing answers */
	{"run-dir", "run-dir-fault", .level = DOCTOR_FAIL,
	 .finding = "the folder for the step's files can't be written: $1",
	 .remedy = "look at the file system of that folder (df, df -i, mount), "
		   "or choose another one (rundir= in plugstack.conf)"},
	{"run-dir", "run-dir", .judge = judge_run_dir,
	 .well = "the folder for the step's files has room"},
	/* dev-npu ID WHY */
	{"npu-files", "dev-npu", .level = DOCTOR_FAIL,
	 .finding = "/dev/davinci$1 can't be opened: $2",
	 .remedy = "drain the node; npu-smi info and dmesg there say more"},
	{"npu-health", "npu-health", .judge = judge_npu_health},
	/* dev-late WHAT */
	{"devices", "dev-late", .level = DOCTOR_FAIL, .finding = "$1",
	 .remedy = "look into dmesg on that node: a driver hangs"},
	/* dev-holder PID NAME DEVICE: a process of no step */
	{"devices", "dev-holder", .level = DOCTOR_WARN,
	 .finding = "process $1 ($2) holds $3 and belongs to no step",
	 .remedy = "end it: it may be left of a step that has ended"},
	/* check-program STATUS PATH: TEXT */
	{"check-program", "check-program", .level = DOCTOR_FAIL,
	 .finding = "check-program ended with exit status $1, $2",
	 .remedy = "run that program on the node by hand"},
	{"clock", "clock-apart", .judge = judge_clock},
	{.name = NULL},
};
