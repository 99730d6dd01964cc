/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/launch/note.h"

#include "core/base/cleanup.h"
#include "core/base/text.h"
#include "core/option/hang.h"
#include "helpers/launch/launch.h"
#include "helpers/launch/part.h"
#include "helpers/launch/step.h"
#include "helpers/record/recorder.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Launchers that can't meet, or have lost that of task 0, keep what they know
 * each, but not a thousand. */
#define ALONE_MAX 8

struct noting {
	struct recorder *recorder; /* NULL: nothing has been noted here */
	char step[JOB_STEP_SIZE];
	char why[512];	   /* the last first failure, for the end */
	unsigned up;	   /* processes of this round */
	unsigned hung;	   /* the last round with a hang, and one; 0: none */
	unsigned nstopped; /* launchers that have told of the step's signal */
	bool over;	   /* the loop doesn't run any more */
};

static bool is_wanted(const struct launch *l)
{
	if (request_word(&l->request, KEY_RECORD) == RECORD_OFF)
		return false;
	return l->plan.resolved.recovery || l->view.step->procid < ALONE_MAX;
}

/* --- the recorder --- */

static void on_failed(void *arg, const char *why)
{
	struct launch *l = arg;
	char line[600];

	snprintf(line, sizeof(line), "dist-train: %s; the step has no record\n",
		 why);
	if (l->noting->over)
		fputs(line, stderr);
	else
		launch_say(l, line);
}

static struct recorder *find_recorder(struct launch *l)
{
	struct noting *t = l->noting;
	const char *dir = request_text(&l->request, KEY_RECORD);
	struct recorder_options options = {
		.loop = &l->loop,
		.dir = dir,
		.step = t->step,
		.failed = dir ? on_failed : NULL,
		.arg = l,
	};

	if (t->recorder || !is_wanted(l))
		return t->recorder;
	job_step(l->view.step, t->step);
	options.head = note_step_line(l);
	t->recorder = recorder_open(&options);
	return t->recorder;
}

/* Here, where the arbiter is: to both records. */
static void write_mark(struct launch *l, unsigned round, enum record_mark mark,
		       const char *node, const char *more)
{
	struct recorder *recorder = find_recorder(l);

	timeline_mark(&l->timeline, round, mark, node, more);
	if (recorder)
		recorder_add(recorder,
			     record_mark_line(l->noting->step, round, mark,
					      node, more),
			     mark_room(mark), mark_room(mark) > RECORD_MAX / 2);
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
	struct launch *l = arg;
	cleanup_free char *copy = NULL;
	char *node, *word, *more;
	enum record_mark mark;
	long round;

	(void)member;
	if (!l->noting || message_number(&text, 0, INT_MAX, &round) < 0)
		return;
	copy = strdup(text);
	node = more = copy;
	strsep(&more, " ");
	word = more;
	strsep(&more, " ");
	if (!more || mark_parse(word, &mark) < 0 ||
	    (mark == MARK_STOPPED && l->noting->nstopped++))
		return;
	if (mark == MARK_HANG)
		l->noting->hung = (unsigned)round + 1;
	make_line(more);
	write_mark(l, (unsigned)round, mark,
		   strcmp(node, "-") != 0 ? node : NULL, more);
}

/* ",NAME:TEXT", cut to size; NULL: out of memory. To free. */
static char *member(const char *name, const char *text)
{
	size_t n = strnlen(text, NOTE_TEXT_MAX);
	cleanup_free char *cut = strndup(text, n);
	cleanup_free char *quoted = malloc(JSON_QUOTE_SIZE(n));
	char *ret;

	if (!cut || !quoted ||
	    asprintf(&ret, ",\"%s\":%s", name,
		     json_quote(cut, quoted, JSON_QUOTE_SIZE(n))) < 0)
		return NULL;
	return ret;
}

static void keep_why(struct noting *t, const char *node, int code,
		     const char *why)
{
	if (*why)
		snprintf(t->why, sizeof(t->why), "%.*s",
			 (int)strcspn(why, "\n"), why);
	else
		snprintf(t->why, sizeof(t->why),
			 "dist-train: first failure on %s: exit code %d", node,
			 code);
}

void note_first_failure(void *arg, const char *node, int code, const char *why)
{
	struct launch *l = arg;
	cleanup_free char *text = member("why", why), *more = NULL;

	if (!l->noting)
		return;
	if (code == HANG_CODE && l->noting->hung == l->job.round + 1)
		return; /* of all, and told already */
	keep_why(l->noting, node, code, why);
	if (text &&
	    asprintf(&more, ",\"code\":%d%s", code, *why ? text : "") >= 0)
		write_mark(l, l->job.round, MARK_FAILURE, *node ? node : NULL,
			   more);
}

/* What the progress file has: when a round runs, and at the step's end. */
static void write_saved(struct launch *l)
{
	const char *path = request_text(&l->request, KEY_PROGRESS_FILE);
	struct recorder *recorder = path ? find_recorder(l) : NULL;

	if (recorder)
		recorder_add_saved(recorder,
				   record_mark_line(l->noting->step,
						    l->job.round, MARK_SAVED,
						    NULL, ""),
				   mark_room(MARK_SAVED), path);
}

static void on_up(void *arg, unsigned member, const char *text)
{
	struct launch *l = arg;
	long up;

	(void)member;
	if (!l->noting || message_number(&text, 0, INT_MAX, &up) < 0)
		return;
	l->noting->up += (unsigned)up;
	if (l->noting->up != l->plan.world_size)
		return;
	write_mark(l, l->job.round, MARK_RUNS, NULL, "");
	write_saved(l);
}

/* --- what happens here --- */

void note_mark(struct launch *l, unsigned round, enum record_mark mark,
	       const char *node, const char *more)
{
	char name[RECORD_NODE_SIZE];
	cleanup_free char *text = NULL;

	if (!l->noting || !l->view.session)
		return;
	record_node(node && *node ? node : "-", name);
	if (asprintf(&text, "%u %s %s %s", round, name, mark_word(mark),
		     more) >= 0)
		launch_send(l, MSG_NOTE, text);
}

void note_text(struct launch *l, enum record_mark mark, const char *node,
	       const char *text)
{
	cleanup_free char *more = l->noting ? member("text", text) : NULL;

	if (more)
		note_mark(l, l->job.round, mark, node, more);
}

void note_condemned(struct launch *l, const char *node, const char *why)
{
	char quoted[JSON_QUOTE_SIZE(512)];
	cleanup_free char *more = NULL;

	if (asprintf(&more, ",\"why\":%s",
		     json_quote(why, quoted, sizeof(quoted))) >= 0)
		note_mark(l, l->job.round, MARK_CONDEMNED, node, more);
}

void launch_condemn(struct launch *l, const char *why)
{
	note_condemned(l, l->job.node_name, why);
	launch_send(l, MSG_CONDEMNED, why);
}

/* The first failure has a line of its own. */
void note_said(struct launch *l, const char *line)
{
	cleanup_free char *more = NULL;
	size_t n = strcspn(line, "\n");

	if (!l->noting || !l->view.session || !session_leads(l->view.session) ||
	    (*l->noting->why && !strncmp(line, l->noting->why, n) &&
	     !l->noting->why[n]))
		return;
	more = member("text", line);
	if (more)
		write_mark(l, l->job.round, MARK_SAID, NULL, more);
}

/* --- the part --- */

static bool keeps_record(const struct plan *plan)
{
	return request_word(plan->request, KEY_RECORD) != RECORD_OFF ||
	       request_text(plan->request, KEY_TIMELINE);
}

/* Without memory there is no record. */
static int open(struct launch *l, struct err *err)
{
	(void)err;
	l->noting = calloc(1, sizeof(*l->noting));
	if (l->noting && session_leads(l->view.session))
		find_recorder(l);
	return 0;
}

static void begin_round(struct launch *l)
{
	char more[64];

	if (!l->noting)
		return;
	l->noting->up = 0;
	if (l->job.procid != 0 || l->plan.resolved.recovery)
		return; /* helpers/round/round_note.c tells more */
	snprintf(more, sizeof(more), ",\"nnodes\":%u,\"world_size\":%u",
		 l->plan.nnodes, l->plan.world_size);
	note_mark(l, l->job.round, MARK_ROUND, NULL, more);
}

/* MSG_LEAVE: the step has ended, and the exit code says how. */
static void end(struct launch *l, const char *unused)
{
	cleanup_free char *text = NULL, *more = NULL;
	int code = l->view.exit_code;

	(void)unused;
	if (!l->noting || !session_leads(l->view.session))
		return;
	write_saved(l);
	text = member("why", l->noting->why);
	if (text && asprintf(&more, ",\"code\":%d%s", code,
			     code && *l->noting->why ? text : "") >= 0)
		write_mark(l, l->job.round, MARK_END, NULL, more);
}

static void close_record(struct launch *l)
{
	if (!l->noting)
		return;
	l->noting->over = true;
	recorder_close(l->noting->recorder);
	free(l->noting);
	l->noting = NULL;
}

const struct part note_part = {
	.name = "note",
	.wanted = keeps_record,
	.open = open,
	.close = close_record,
	.messages = (const struct part_message[]){{MSG_LEAVE, end}, {0}},
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
