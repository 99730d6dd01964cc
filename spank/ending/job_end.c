/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/ending/job_end.h"

#include "core/facts/handover.h"
#include "core/option/key_forms.h"
#include "core/plan/framework.h"
#include "spank/slurm/slurmctld.h"
#include "sys/log.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct {
	bool begun;
	bool asked; /* when the job ends */
	bool keyed; /* the key requeue is there */
	unsigned job_id;
	unsigned causes, most;
	long lead_s;
	char job[64];
	char *progress_path; /* NULL: none */
	struct job_life life;
	atomic_bool decided; /* the job is to be requeued: once is enough */
	atomic_bool requeued;
	int status; /* srun's; known only where jobs may be expedited */
} job_end;

/* "7", or "9 (7_2)" for an element of an array. */
static void name_job(void)
{
	const char *array = getenv("SLURM_ARRAY_JOB_ID");
	const char *task = getenv("SLURM_ARRAY_TASK_ID");

	if (array && task)
		snprintf(job_end.job, sizeof(job_end.job), "%u (%.20s_%.20s)",
			 job_end.job_id, array, task);
	else
		snprintf(job_end.job, sizeof(job_end.job), "%u",
			 job_end.job_id);
}

static struct progress_file progress(void)
{
	return (struct progress_file){
		.path = job_end.progress_path,
		.job_id = job_end.job_id,
		.life = job_end.life.restarts,
	};
}

/* --- at the beginning --- */

/* By a user's or a site's defaults steps of other jobs have the key, too. */
static int check_requeue(const struct request *r, struct err *err)
{
	const struct job_life *life = &job_end.life;

	if (life->batch && life->may_requeue)
		return 0;
	job_end.causes = 0;
	if (!request_given(r, KEY_REQUEUE))
		return 0;
	if (!life->batch)
		return err_printf(err,
				  "requeue=%s: job %s isn't a batch job, and "
				  "Slurm requeues no others; submit it with "
				  "sbatch",
				  request_text(r, KEY_REQUEUE), job_end.job);
	return err_printf(err,
			  "requeue=%s: job %s was submitted with --no-requeue, "
			  "or JobRequeue=0 holds for it; add #SBATCH --requeue "
			  "(for this job: scontrol update jobid=%u requeue=1)",
			  request_text(r, KEY_REQUEUE), job_end.job,
			  job_end.job_id);
}

static int put_time(const char *name, int64_t seconds, struct err *err)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", (long long)seconds);
	return setenv(name, text, 1) < 0 ? err_memory(err) : 0;
}

static int keep_progress_path(const struct request *r, struct err *err)
{
	const char *path = request_text(r, KEY_PROGRESS_FILE);
	struct progress_file f;
	struct err why;

	if (!path || !job_end.causes)
		return 0;
	job_end.progress_path = strdup(path);
	if (!job_end.progress_path)
		return err_memory(err);
	f = progress();
	if (progress_file_begin(&f, &why) < 0)
		log_line("progress-file: runs without progress aren't "
			 "counted: %s",
			 why.text);
	return 0;
}

/* submitit requeues by itself, by a signal of its own. Lightning does, too, and
 * can't be seen from here. */
static void warn_of_another(void)
{
	if (job_end.causes && getenv("SUBMITIT_EXECUTOR"))
		log_line("requeue: submitit requeues this job, too; one of "
			 "both has to go (submitit: slurm_signal_delay_s, "
			 "checkpoint())");
}

/* The ranks are told at once then, and those without a handler are spared. */
static void warn_of_short_time(const struct request *r)
{
	struct end_signal signal;

	end_signal_of(r, &signal);
	if (signal.number && job_end.life.end &&
	    job_end.life.end - time(NULL) <= signal.seconds)
		log_line("end-signal=%s: the job's time limit is nearer than "
			 "that, so the signal comes before ranks can handle "
			 "it; take a shorter time here, or a longer --time",
			 request_text(r, KEY_END_SIGNAL));
}

/* --- at the end --- */

static void fill_case(struct requeue_case *c)
{
	c->job = job_end.job;
	c->causes = job_end.causes;
	c->most = job_end.most;
	c->lead_s = job_end.lead_s;
	c->progress_file = job_end.progress_path;
	c->now = time(NULL);
}

/* A line before the deed: it ends srun, too, when its batch script waits for
 * it. */
static void requeue(const char *line)
{
	struct err err;

	log_line("%s", line);
	if (slurmctld_requeue(job_end.job_id, &err) < 0)
		log_line("job %s can't be requeued: %s", job_end.job, err.text);
	else
		job_end.requeued = true;
}

static void decide(struct requeue_case *c)
{
	char line[1200], say[400] = "";
	struct progress_file f = progress();

	fill_case(c);
	if (f.path)
		c->idle_lives = progress_file_idle(&f, say, sizeof(say));
	c->progress = say;
	if (requeue_decide(c, line, sizeof(line))) {
		if (!atomic_exchange(&job_end.decided, true))
			requeue(line);
	} else if (*line && !c->still_runs) {
		log_line("%s", line);
	}
}

/* Slurm ends the step now, and perhaps srun before its last deed. */
static void last_moment(const struct job_life *life)
{
	struct requeue_case c = {.still_runs = true, .life = *life};

	if (!job_end.decided && job_end.causes)
		decide(&c);
}

/* Without the key requeue nothing is said of other ends than a lost node's. */
static bool has_to_decide(const struct srun_end *end)
{
	if (!job_end.causes || job_end.decided)
		return false;
	return job_end.keyed ? !requeue_is_needless(&end->heard, end->node_lost)
			     : end->node_lost;
}

/* Slurm holds a job with --requeue=expedite whose script ends with an error,
 * and nobody would look for it there. */
static void warn_of_hold(void)
{
	struct job_life life;
	struct err ignored;

	if (!job_end.status || job_end.requeued ||
	    slurmctld_job_life(job_end.job_id, &life, &ignored) < 0 ||
	    !life.expedite || life.fate != FATE_RUNS)
		return;
	log_line("job %s has --requeue=expedite: if its script ends with an "
		 "error now, Slurm holds it, unless an Epilog fails; scontrol "
		 "release %u runs it again, scancel %u ends it",
		 job_end.job, job_end.job_id, job_end.job_id);
}

static void finish(const struct srun_end *end)
{
	struct requeue_case c = {
		.heard = end->heard,
		.node_lost = end->node_lost,
		.life = job_end.life,
	};
	struct progress_file f = progress();
	struct err ignored;

	if (f.path && requeue_is_needless(&end->heard, end->node_lost))
		progress_file_end(&f);
	if (!has_to_decide(end))
		return;
	/* If it can't be had, what was known */
	slurmctld_job_life(job_end.job_id, &c.life, &ignored);
	decide(&c);
}

void job_end_finish(void)
{
	struct srun_end end = {.node_lost = false};
	bool alone;

	srun_liveness_close(&end);
	alone = end_watch_close();
	if (job_end.begun) {
		finish(&end);
		warn_of_hold();
	}
	job_end.begun = false;
	if (!alone)
		return; /* it still has the path */
	free(job_end.progress_path);
	job_end.progress_path = NULL;
}

const char *job_end_asked(const struct request *r, char buf[JOB_END_ASKED])
{
	if (job_end.keyed && job_end.causes)
		snprintf(buf, JOB_END_ASKED, "requeue=%s",
			 request_text(r, KEY_REQUEUE));
	else if (request_text(r, KEY_END_SIGNAL))
		snprintf(buf, JOB_END_ASKED, "end-signal=%s",
			 request_text(r, KEY_END_SIGNAL));
	else
		return NULL;
	return buf;
}

void job_end_told(void)
{
	end_watch_told();
}

/* --- the beginning of all that --- */

static void begin_watch(void)
{
	struct end_watch_options o = {
		.job_id = job_end.job_id,
		.lead_s = job_end.lead_s,
		.end = job_end.life.end,
		.changed = srun_liveness_end_time,
		.last_moment = last_moment,
	};

	end_watch_open(&o);
}

static int ask(const struct request *r, struct err *err)
{
	if (slurmctld_job_life(job_end.job_id, &job_end.life, err) < 0 ||
	    (job_end.keyed && check_requeue(r, err) < 0) ||
	    keep_progress_path(r, err) < 0)
		return -1;
	warn_of_another();
	warn_of_short_time(r);
	if (job_end.keyed || job_end.lead_s)
		begin_watch();
	return 0;
}

/* Before job_end_finish(): srun calls the exit hook from a handler that is
 * older. */
static void note_status(int status, void *unused)
{
	(void)unused;
	job_end.status = status;
}

static int begin(const struct request *r, const struct resolved *w,
		 unsigned job_id, struct err *err)
{
	struct end_signal signal;

	end_signal_of(r, &signal);
	job_end.begun = true;
	job_end.job_id = job_id;
	job_end.keyed = requeue_of(r) != 0;
	job_end.causes =
		requeue_of(r) | (w->requeue ? (unsigned)REQUEUE_NODE_LOSS : 0);
	job_end.most = (unsigned)request_number(r, KEY_REQUEUES);
	job_end.lead_s = signal.seconds;
	/* A role's line may have end-signal */
	job_end.asked =
		job_end.keyed || signal.number || r->framework->program_is_file;
	name_job();
	if (slurmctld_expedites())
		on_exit(note_status, NULL);
	return job_end.asked ? ask(r, err) : 0;
}

/* The hand-over begins anew with each component of a heterogeneous step. */
int job_end_begin(const struct request *r, const struct resolved *w,
		  unsigned job_id, struct err *err)
{
	if (!job_end.begun && begin(r, w, job_id, err) < 0)
		return -1;
	if (!job_end.asked)
		return 0;
	if (put_time(HANDOVER_END, job_end.life.end, err) < 0)
		return -1;
	return put_time(HANDOVER_SUBMITTED, job_end.life.submitted, err);
}
