/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens to the step, for its record: the one that is always kept
 * (helpers/record/recorder.h), and timeline=FILE, to which each launcher adds
 * what its processes do (helpers/output/timeline.h). Launchers send their lines
 * by MSG_NOTE.
 */
#include "core/option/key_forms.h"
#include "helpers/output/timeline.h"
#include "helpers/record/recorder.h"
#include "helpers/step/controller.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
	struct recorder *recorder; /* NULL: nothing has been noted here */
	char step[JOB_STEP_SIZE];
	char why[512];	   /* the last first failure, for the end */
	unsigned up;	   /* processes of this round */
	unsigned hung;	   /* the last round with a hang, and one; 0: none */
	unsigned nstopped; /* launchers that have told of the step's signal */
};

static bool is_kept(const struct plan *plan)
{
	return request_word(plan->request, KEY_RECORD) != RECORD_OFF;
}

/* --- the recorder --- */

static void on_failed(void *arg, const char *why)
{
	struct controller *c = arg;
	char line[600];

	snprintf(line, sizeof(line), "dist-train: %s; the step has no record\n",
		 why);
	c->say(c->arg, line);
}

static struct recorder *find_recorder(struct controller *c)
{
	struct record *r = c->record;
	const char *dir = request_text(c->plan->request, KEY_RECORD);
	struct recorder_options options = {
		.loop = c->loop,
		.dir = dir,
		.step = r->step,
		.failed = dir ? on_failed : NULL,
		.arg = c,
	};

	if (r->recorder || !is_kept(c->plan))
		return r->recorder;
	job_step(c->step, r->step);
	options.head = record_head(c->plan, c->step, c->program);
	r->recorder = recorder_open(&options);
	return r->recorder;
}

/* To both records; `more` is "" or further members of the object, each after a
 * comma. */
static void add_mark(struct controller *c, unsigned round,
		     enum record_mark mark, const char *node, const char *more)
{
	struct record *r = c->record;
	struct recorder *recorder = r ? find_recorder(c) : NULL;

	if (!r)
		return;
	if (mark == MARK_HANG)
		r->hung = round + 1;
	timeline_mark(c->timeline, round, mark, node, more);
	if (recorder)
		recorder_add(recorder,
			     record_mark_line(r->step, round, mark, node, more),
			     mark_room(mark), mark_room(mark) > RECORD_MAX / 2);
}

void record_add_text(struct controller *c, enum record_mark mark,
		     const char *node, const char *text)
{
	cleanup_free char *more = record_member("text", text);

	if (more)
		add_mark(c, c->job->round, mark, node, more);
}

void record_add_condemned(struct controller *c, const char *node,
			  const char *why)
{
	cleanup_free char *more = record_member("why", why);

	if (more)
		add_mark(c, c->job->round, MARK_CONDEMNED, node, more);
}

/* --- what others tell --- */

/* What comes from another process is one line, whatever it is. */
static void make_line(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ')
			*text = ' ';
}

/* ROUND NODE EVENT MORE */
static void on_noted(void *arg, unsigned member, const char *text)
{
	struct controller *c = arg;
	cleanup_free char *copy = NULL;
	char *node, *word, *more;
	enum record_mark mark;
	long round;

	(void)member;
	if (message_number(&text, 0, INT_MAX, &round) < 0)
		return;
	copy = strdup(text);
	node = more = copy;
	strsep(&more, " ");
	word = more;
	strsep(&more, " ");
	if (!more || mark_parse(word, &mark) < 0 ||
	    (mark == MARK_STOPPED && c->record->nstopped++))
		return;
	make_line(more);
	add_mark(c, (unsigned)round, mark, strcmp(node, "-") != 0 ? node : NULL,
		 more);
}

static void keep_why(struct record *r, const char *node, int code,
		     const char *why)
{
	if (*why)
		snprintf(r->why, sizeof(r->why), "%.*s",
			 (int)strcspn(why, "\n"), why);
	else
		snprintf(r->why, sizeof(r->why),
			 "dist-train: first failure on %s: exit code %d", node,
			 code);
}

void record_first_failure(struct controller *c, const char *node, int code,
			  const char *why)
{
	struct record *r = c->record;
	cleanup_free char *text = record_member("why", why), *more = NULL;

	if (!r || (code == HANG_CODE && r->hung == c->job->round + 1))
		return; /* of all, and told already */
	keep_why(r, node, code, why);
	if (text &&
	    asprintf(&more, ",\"code\":%d%s", code, *why ? text : "") >= 0)
		add_mark(c, c->job->round, MARK_FAILURE, *node ? node : NULL,
			 more);
}

/* What the progress file has: when a round runs, and at the step's end. */
static void write_saved(struct controller *c)
{
	const char *path = request_text(c->plan->request, KEY_PROGRESS_FILE);
	struct recorder *recorder = path ? find_recorder(c) : NULL;

	if (recorder)
		recorder_add_saved(recorder,
				   record_mark_line(c->record->step,
						    c->job->round, MARK_SAVED,
						    NULL, ""),
				   mark_room(MARK_SAVED), path);
}

static void on_up(void *arg, unsigned member, const char *text)
{
	struct controller *c = arg;
	long up;

	(void)member;
	if (message_number(&text, 0, INT_MAX, &up) < 0)
		return;
	c->record->up += (unsigned)up;
	if (c->record->up != c->plan->world_size)
		return;
	add_mark(c, c->job->round, MARK_RUNS, NULL, "");
	write_saved(c);
}

/* The first failure has a line of its own. */
void record_said(struct controller *c, const char *line)
{
	const struct record *r = c->record;
	size_t n = strcspn(line, "\n");

	if (r && (!*r->why || strncmp(line, r->why, n) != 0 || r->why[n]))
		record_add_text(c, MARK_SAID, NULL, line);
}

void controller_over(struct controller *c, int code)
{
	const struct record *r = c->record;
	cleanup_free char *text = NULL, *more = NULL;

	if (!r)
		return;
	write_saved(c);
	text = record_member("why", r->why);
	if (text && asprintf(&more, ",\"code\":%d%s", code,
			     code && *r->why ? text : "") >= 0)
		add_mark(c, c->job->round, MARK_END, NULL, more);
}

/* --- the part --- */

static bool is_wanted(const struct plan *plan)
{
	return is_kept(plan) || request_text(plan->request, KEY_TIMELINE);
}

static int open(struct controller *c, struct err *err)
{
	c->record = calloc(1, sizeof(*c->record));
	return c->record ? 0 : err_memory(err);
}

static void begin_round(struct controller *c)
{
	c->record->up = 0;
}

static void close_record(struct controller *c)
{
	if (!c->record)
		return;
	recorder_close(c->record->recorder);
	free(c->record);
	c->record = NULL;
}

const struct step_part record_of_step = {
	.name = "record",
	.wanted = is_wanted,
	.open = open,
	.close = close_record,
	.told =
		(const struct subscription[]){
			{.type = MSG_NOTE,
			 .take = on_noted,
			 .to_the_end = true},
			{.type = MSG_UP, .take = on_up},
			{0},
		},
	.round = begin_round,
};
