/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/report/goodput.h"

#include "helpers/visit/step_find.h"
#include "sys/epoch.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ACCOUNT_MS  5000
#define SAME_MS	    2000 /* a start that two of Slurm's parts tell */
#define SECONDS_MAX 1000000000000LL

/* Seconds since the epoch; TIME_UNKNOWN: none, as "Unknown" is. */
static int64_t read_time(const char *text)
{
	char *end;
	long long s = strtoll(text, &end, 10);

	if (end == text || *end || s <= 0 || s > SECONDS_MAX)
		return TIME_UNKNOWN;
	return s * 1000;
}

static bool is_life(const struct goodput_life *l, int64_t start_ms)
{
	int64_t begin = l->nsteps ? step_begin_ms(&l->step[0]) : TIME_UNKNOWN;

	if (start_ms < 0)
		return false;
	if (l->start_ms >= 0)
		return llabs(l->start_ms - start_ms) <= SAME_MS;
	return start_ms <= begin + SAME_MS;
}

static void fill(int64_t *time, int64_t known)
{
	if (*time < 0)
		*time = known;
}

static void fill_life(struct goodput_life *l, int64_t submit_ms,
		      int64_t start_ms, int64_t end_ms)
{
	fill(&l->submit_ms, submit_ms);
	fill(&l->start_ms, start_ms);
	fill(&l->end_ms, end_ms);
}

/* Of lives whose start isn't known, the first one after this start. */
void goodput_account(struct goodput_job *job, const char *line)
{
	char text[200], *at = text, *field[4];
	int64_t start_ms, end_ms;

	snprintf(text, sizeof(text), "%.*s", (int)strcspn(line, "\n"), line);
	for (int i = 0; i < 4; i++) {
		field[i] = strsep(&at, "|");
		if (!field[i])
			return;
	}
	start_ms = read_time(field[2]);
	end_ms = read_time(field[3]);
	if (strtoul(field[0], NULL, 10) != job->id)
		return;
	for (size_t i = 0; i < job->nlives; i++) {
		struct goodput_life *l = &job->life[i];

		if (!is_life(l, start_ms) ||
		    (l->start_ms < 0 && end_ms >= 0 &&
		     end_ms + SAME_MS < step_begin_ms(&l->step[0])))
			continue;
		fill_life(l, read_time(field[1]), start_ms, end_ms);
		return;
	}
}

static void account(struct goodput_job *job, const char *id)
{
	cleanup_free char *text =
		sacct_show("JobIDRaw,Submit,Start,End", id, true, ACCOUNT_MS);
	char *at = text, *line;

	while ((line = strsep(&at, "\n")))
		goodput_account(job, line);
}

/* --- scontrol --- */

static int64_t value_time(const char *text, const char *key)
{
	char value[32];

	return text_value(text, key, value, sizeof(value)) ? read_time(value)
							   : TIME_UNKNOWN;
}

/* The job waits for a life that has no record yet. */
static void add_life(struct goodput_job *job, unsigned long requeue)
{
	job->life[job->nlives++] = (struct goodput_life){
		.requeue = requeue,
		.submit_ms = TIME_UNKNOWN,
		.start_ms = TIME_UNKNOWN,
		.end_ms = TIME_UNKNOWN,
	};
}

static bool is_over(const char *state)
{
	static const char *const others[] = {
		"PENDING",     "RUNNING",  "SUSPENDED",	   "COMPLETING",
		"CONFIGURING", "RESIZING", "SIGNALING",	   "STOPPED",
		"STAGE_OUT",   "REQUEUED", "REQUEUE_HOLD",
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strcmp(state, others[i]))
			return false;
	return true;
}

bool goodput_control(struct goodput_job *job, const char *text, int64_t now_ms)
{
	char id[32], state[32], restarts[32];
	struct goodput_life *l = &job->life[job->nlives - 1];
	unsigned long requeue;
	bool pending, runs;

	if (!text_value(text, "JobId", id, sizeof(id)) ||
	    strtoul(id, NULL, 10) != job->id ||
	    !text_value(text, "JobState", state, sizeof(state)) ||
	    !text_value(text, "Restarts", restarts, sizeof(restarts)))
		return false;
	requeue = strtoul(restarts, NULL, 10);
	pending = !strcmp(state, "PENDING");
	runs = !strcmp(state, "RUNNING");
	if (requeue > l->requeue && (pending || runs)) {
		add_life(job, requeue);
		l++;
	}
	if (requeue != l->requeue)
		return false;
	fill_life(l, value_time(text, "SubmitTime"),
		  pending ? TIME_UNKNOWN : value_time(text, "StartTime"),
		  is_over(state) ? value_time(text, "EndTime") : TIME_UNKNOWN);
	if (pending || runs)
		job->now_ms = now_ms;
	return runs;
}

static bool step_runs(const struct goodput_job *job)
{
	const struct goodput_life *l = &job->life[job->nlives - 1];
	struct found_step step;
	char name[64];
	struct err err;
	bool runs;

	if (!l->nsteps || step_has_end(&l->step[l->nsteps - 1]))
		return false;
	snprintf(name, sizeof(name), "%lu.%lu", job->id,
		 l->step[l->nsteps - 1].number);
	if (step_find(name, &step, &err) < 0)
		return false;
	runs = step.running;
	found_step_clear(&step);
	return runs;
}

void goodput_ask(struct goodput_job *job)
{
	cleanup_free char *text = NULL;
	char id[32];
	struct err err;

	setenv("SLURM_TIME_FORMAT", "%s", 1);
	snprintf(id, sizeof(id), "%lu", job->id);
	account(job, id);
	text = scontrol_show("job", id, &err);
	if (text && goodput_control(job, text, epoch_ms()))
		job->step_runs = step_runs(job);
}
