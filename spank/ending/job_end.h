/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a job, as srun sees it (doc/design/spank-ending.md): it
 * asks when the job ends, tells the nodes, and requeues the job when its step
 * has ended, if that is asked for: srun's last deed. Runs in srun, as the user.
 */
#pragma once

#include "core/base/err.h"
#include "core/option/option.h"
#include "core/plan/resolve.h"
#include "spank/ending/srun_liveness.h"
#include "spank/slurm/job_life.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The step exists. With the keys end-signal and requeue slurmctld is asked once
 * about its job; refused is a job that can't be requeued. Once per srun.
 * Returns 0 or -1. */
int job_end_begin(const struct request *request,
		  const struct resolved *resolved, unsigned job_id,
		  struct err *err);

/* The key of these, "requeue=failure", for which srun has to hear how the step
 * ends, or to tell when the job does; NULL: there is none. After
 * job_end_begin(). */
#define JOB_END_ASKED 128
const char *job_end_asked(const struct request *request,
			  char buf[JOB_END_ASKED]);

/* For srun_liveness_options. */
void job_end_told(void);

/* In slurm_spank_exit: end the threads, and requeue the job or say why not. Not
 * before: srun kills a step that it aborts more than once, by its number alone,
 * which is that of the job's next life, too. No-op without job_end_begin(). */
void job_end_finish(void);

/*
 * A thread in srun that asks slurmctld now and then when the job ends: its
 * limit may be changed, and Slurm may preempt it. For steps with the keys
 * end-signal or requeue alone; it isn't that of srun_liveness.h, since a
 * question may take long.
 */

/* So long before the job's end it is asked for the last time. */
#define END_WATCH_LAST_S 3

struct end_watch_options {
	unsigned job_id;
	long lead_s; /* the ranks are told so long before the end */
	int64_t end; /* as known now; 0: never */
	/* In the thread. The end is another one now: */
	void (*changed)(int64_t end);
	/* The end has come, or Slurm ends the job, and the step still runs. */
	void (*last_moment)(const struct job_life *life);
};

/* Begin to watch. No-op where no thread can be made, and when called again. */
void end_watch_open(const struct end_watch_options *options);

/* Slurm has sent SIGTERM to the step: ask at once. From any thread. */
void end_watch_told(void);

/* End the thread, within a second. Returns whether it has ended: a question
 * that is under way then isn't waited for. */
bool end_watch_close(void);

/* When to ask the next time; pure. */
int64_t end_watch_next(int64_t now, int64_t end, long lead_s);

/*
 * The key progress-file: an integer that the program writes, and what it was
 * when the job's lives began. That is kept beside it, in
 * FILE.dist-train-JOB with lines "LIFE VALUE": there the next life finds it
 * wherever it runs, if it finds FILE. In a folder that others may write to
 * neither is a link (sys/kept/log_open.h). Runs in srun, as the user.
 */

struct progress_file {
	const char *path; /* borrowed */
	unsigned job_id;
	unsigned life; /* 0: the first */
};

/* A life begins: note what the file has. Only the first step of a life does.
 * Returns 0, or -1: it can't be noted, and lives aren't counted. */
int progress_file_begin(const struct progress_file *f, struct err *err);

/* How many lives in a row, this one too, have ended without progress: the
 * integer hasn't grown, or there is none. `say` gets what the file has, for the
 * user. */
unsigned progress_file_idle(const struct progress_file *f, char *say,
			    size_t size);

/* The chain is over: remove what was noted. */
void progress_file_end(const struct progress_file *f);

/*
 * Whether a job is requeued when its step has ended, and why: the key requeue,
 * and on-node-loss=requeue (doc/design/spank-ending.md). Pure
 * arithmetic on what srun has found out.
 */

/* So many lives in a row without progress end the chain. */
#define REQUEUE_IDLE_LIVES 3

struct requeue_case {
	const char *job; /* its name for the user */
	unsigned causes; /* asked for: REQUEUE_TIME_LIMIT and so on */
	unsigned most;	 /* requeues=N */
	long lead_s; /* so long before the job's end the ranks are told of it */
	const char *progress_file; /* NULL: none */

	struct srun_heard heard;
	bool node_lost;	 /* and nothing took its place */
	bool still_runs; /* the step, and the job's end has come */
	struct job_life life;
	int64_t now;
	unsigned idle_lives;  /* without progress, this one too */
	const char *progress; /* what the file has, for the user: "it is 10" */
};

/* Whether the step has ended well, with nobody told that the end is near: then
 * nothing has to be asked. */
bool requeue_is_needless(const struct srun_heard *heard, bool node_lost);

/* Whether to requeue the job, and the line for the user that says why or why
 * not; "": nothing is to be said. */
bool requeue_decide(const struct requeue_case *c, char *line, size_t size);
