/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/report/goodput.h"

#include <stdlib.h>
#include <string.h>

#define EARLY_MS 1000 /* Slurm's times are whole seconds */

/* --- which files --- */

static int by_life(const void *a, const void *b)
{
	const struct record_file *x = a, *y = b;

	if (x->job != y->job)
		return x->job < y->job ? -1 : 1;
	if (x->requeue != y->requeue)
		return x->requeue < y->requeue ? -1 : 1;
	return x->step < y->step ? -1 : x->step > y->step;
}

/* Of jobs of that number on several clusters, or on one that was set up anew,
 * the newest counts; names of an older version don't say whose they are. Moves
 * the others behind; returns how many are left. */
static size_t keep_newest(struct record_file *file, size_t n)
{
	const char *of = record_file_newest(file, n)->of;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		struct record_file f = file[i];

		if (strcmp(f.of, of) != 0 && strcmp(f.of, RECORD_SUFFIX) != 0)
			continue;
		file[i] = file[kept];
		file[kept++] = f;
	}
	return kept;
}

/* --- a life --- */

static int by_begin(const void *a, const void *b)
{
	const struct goodput_step *x = a, *y = b;

	if (x->record.begin_ms != y->record.begin_ms)
		return x->record.begin_ms < y->record.begin_ms ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* What isn't possible isn't known. */
static void find_times(struct goodput_life *l)
{
	int64_t begin = step_begin_ms(&l->step[0]);

	l->submit_ms = l->start_ms = l->end_ms = TIME_UNKNOWN;
	for (size_t i = l->nsteps; i-- > 0;) {
		const struct record_head *h = &l->step[i].record.head;

		if (h->submitted > 0)
			l->submit_ms = (int64_t)(h->submitted * 1000);
		if (h->job_start > 0)
			l->start_ms = (int64_t)(h->job_start * 1000);
	}
	if (l->start_ms > begin + EARLY_MS)
		l->start_ms = TIME_UNKNOWN;
	if (l->submit_ms > begin + EARLY_MS)
		l->submit_ms = TIME_UNKNOWN;
}

/* A file that can't be read is left out: others tell enough. */
static void read_step(const struct record_folder *folder,
		      const struct record_file *file, struct goodput_life *l)
{
	cleanup_free char *path = NULL, *text = NULL;
	struct goodput_step *step = &l->step[l->nsteps];
	struct err err;

	step->number = file->step;
	text = record_folder_read(folder, file->name, &path, &err);
	if (text && record_read(text, &step->record, &err) == 0)
		l->nsteps++;
	else
		fprintf(stderr, "dist-train: %s: left out: %s\n", file->name,
			err.text);
}

/* Files of one job and requeue. */
static int read_life(const struct record_folder *folder,
		     const struct record_file *file, size_t n,
		     struct goodput_job *job, struct err *err)
{
	struct goodput_life *l = &job->life[job->nlives];

	l->requeue = file->requeue;
	l->step = calloc(n, sizeof(*l->step));
	if (!l->step)
		return err_memory(err);
	for (size_t i = 0; i < n; i++)
		read_step(folder, &file[i], l);
	if (!l->nsteps) {
		free(l->step);
		l->step = NULL;
		return 0;
	}
	qsort(l->step, l->nsteps, sizeof(*l->step), by_begin);
	find_times(l);
	job->nlives++;
	return 0;
}

/* --- a job --- */

static void job_clear(struct goodput_job *job)
{
	for (size_t i = 0; i < job->nlives; i++) {
		struct goodput_life *l = &job->life[i];

		for (size_t k = 0; k < l->nsteps; k++)
			record_clear(&l->step[k].record);
		free(l->step);
	}
	free(job->life);
}

static void name_job(struct goodput_job *job)
{
	const struct record_head *h = &job->life[0].step[0].record.head;

	if (h->array_job >= 0 && h->array_task >= 0)
		snprintf(job->name, sizeof(job->name), "%.0f_%.0f",
			 h->array_job, h->array_task);
	else
		snprintf(job->name, sizeof(job->name), "%lu", job->id);
}

/* A life more than it has: the one that may wait now. */
static int read_job(const struct record_folder *folder,
		    const struct record_file *file, size_t n,
		    struct goodput_job *ret, struct err *err)
{
	*ret = (struct goodput_job){
		.id = file->job,
		.life = calloc(n + 1, sizeof(*ret->life)),
		.now_ms = TIME_UNKNOWN,
	};
	if (!ret->life)
		return err_memory(err);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && file[end].requeue == file[i].requeue;)
			end++;
		if (read_life(folder, &file[i], end - i, ret, err) < 0) {
			job_clear(ret);
			return -1;
		}
	}
	if (ret->nlives)
		name_job(ret);
	return 0;
}

static bool has_job(const struct goodput_jobs *jobs, unsigned long id)
{
	for (size_t i = 0; i < jobs->n; i++)
		if (jobs->job[i].id == id)
			return true;
	return false;
}

static int add_job(const struct record_folder *folder,
		   const struct record_file *file, size_t n,
		   struct goodput_jobs *jobs, struct err *err)
{
	struct goodput_job job;
	void *more;

	if (has_job(jobs, file->job))
		return 1;
	if (read_job(folder, file, n, &job, err) < 0)
		return -1;
	more = job.nlives ? realloc(jobs->job, (jobs->n + 1) * sizeof(job))
			  : NULL;
	if (!more) {
		bool none = !job.nlives;

		job_clear(&job);
		return none ? 0 : err_memory(err);
	}
	jobs->job = more;
	jobs->job[jobs->n++] = job;
	return 1;
}

static int add_all(const struct record_folder *folder,
		   struct record_files *files, struct goodput_jobs *jobs,
		   struct err *err)
{
	int count = 0;

	if (files->n)
		qsort(files->file, files->n, sizeof(*files->file), by_life);
	for (size_t i = 0, end; i < files->n; i = end) {
		struct record_file *file = &files->file[i];
		int rc;

		for (end = i;
		     end < files->n && files->file[end].job == file->job;)
			end++;
		rc = add_job(folder, file, keep_newest(file, end - i), jobs,
			     err);
		if (rc < 0)
			return -1;
		count += rc;
	}
	return count;
}

int jobs_add(const struct record_folder *folder, const struct record_wish *wish,
	     struct goodput_jobs *jobs, struct err *err)
{
	struct record_files files;
	int rc = record_folder_list(folder, wish, &files, err);

	if (rc == 0)
		rc = add_all(folder, &files, jobs, err);
	record_files_clear(&files);
	return rc;
}

void jobs_clear(struct goodput_jobs *jobs)
{
	for (size_t i = 0; i < jobs->n; i++)
		job_clear(&jobs->job[i]);
	free(jobs->job);
	*jobs = (struct goodput_jobs){.n = 0};
}
