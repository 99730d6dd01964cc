/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The key code (helpers/code/code.h). With `freeze' the phase lets the first
 * task's launcher keep the program's files, or find them where the job has
 * them, and tell all others by MSG_CODE and MSG_CODE_ALL; each looks whether it
 * sees them, and runs them from then on, in this round and in all later ones.
 * Spares hear of it, too. With `live' it
 * says when the files have changed between
 * two rounds.
 */
#include "helpers/code/code.h"
#include "helpers/launch/launch.h"
#include "helpers/part/launch_tell.h"
#include "helpers/part/note.h"
#include "helpers/part/part.h"
#include "helpers/part/phase.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_MAX (1U << 20)
#define KEEP_MS	   600000 /* a slow file system, 100 MB */
#define STAMP_MS   2000	  /* nobody waits longer for a remark */
#define BESIDE_MS  1000	  /* the step has ended */

struct code_own {
	struct launch *l;
	struct subprocess_text child;
	struct code_wish wish;
	char job[128];
	char *told; /* of another launcher: an answer and its text */
	bool asks;  /* there is a child */
	bool known; /* what this launcher runs is decided */
	struct code code;
	char **argv;
	char *file;
	char *stamp; /* of the first round */
};

static bool is_frozen(const struct plan *plan)
{
	return request_word(plan->request, KEY_CODE) == CODE_FREEZE;
}

static struct code_own *own(const struct launch *l)
{
	return own_of(l, &code_part);
}

/* --- a child --- */

static void make_wish(struct launch *l, struct code_own *c)
{
	const char *cluster = getenv("SLURM_CLUSTER_NAME");
	const char *began = getenv("SLURM_JOB_START_TIME");

	snprintf(c->job, sizeof(c->job), "%lu%s%.40s", l->job.job_id,
		 cluster ? "." : "", cluster ? cluster : "");
	c->wish = (struct code_wish){
		.argv = l->argv,
		.folder = request_text(&l->request, KEY_RECORD),
		.job = c->job,
		.life = l->job.restart,
		.began = began ? atol(began) : 0,
		.told = c->told ? c->told + 1 : NULL,
	};
}

/* The child and what it has said. */
static void forget(struct code_own *c)
{
	subprocess_text_drop(&c->child);
	c->asks = false;
}

static int ask(struct launch *l, struct code_own *c,
	       int (*run)(const int fd[2], const void *arg), int limit_ms,
	       void (*done)(void *arg, char *text, bool late), struct err *err)
{
	struct subprocess_spec spec = {
		.run = run,
		.arg = &c->wish,
		.flags = SUBPROCESS_HANGS,
	};

	make_wish(l, c);
	c->l = l;
	c->asks = true;
	c->child = (struct subprocess_text){
		.loop = &l->loop,
		.max = ANSWER_MAX,
		.done = done,
		.arg = c,
	};
	return subprocess_text_begin(&c->child, &spec, (uint64_t)limit_ms, err);
}

/* --- live --- */

static void stamped(void *arg, char *text, bool late)
{
	struct code_own *c = arg;
	char name[CODE_NAME_SIZE], line[CODE_NAME_SIZE + 160];

	if (!late && *text && !c->stamp) {
		c->stamp = strdup(text);
	} else if (!late && *text && *code_changed(c->stamp, text, name)) {
		snprintf(line, sizeof(line),
			 "dist-train: code=live: %s has changed since the "
			 "step's first round, and this one runs it as it is "
			 "now; code=freeze keeps the first round's files\n",
			 name);
		launch_say(c->l, line);
	}
	forget(c);
	phase_done(c->l);
}

/* A spare may be the first node of a later round. */
static enum phase_state compare(struct launch *l, struct err *err)
{
	if (l->job.procid && !l->plan.spare)
		return PHASE_DONE;
	return ask(l, own(l), code_stamp, STAMP_MS, stamped, err) < 0
		       ? PHASE_FAILED
		       : PHASE_WAITS;
}

/* --- freeze --- */

/* What a person should know of it. */
static void say_kept(struct code_own *c)
{
	const struct code *code = &c->code;
	const char *commit = *code->commit ? ", commit " : "";
	char line[PATH_MAX + 256];

	snprintf(line, sizeof(line),
		 "the files of %s as they were kept: %s%s%s", code->root,
		 code->hash, commit, code->commit);
	note_text(c->l, MARK_CODE, NULL, line);
	if (code->shell) {
		snprintf(line, sizeof(line),
			 "dist-train: code=freeze: %.300s is kept; a file that "
			 "it names from the working directory on runs as it is "
			 "then\n",
			 code->file);
		launch_say(c->l, line);
	}
	if (code->life == c->l->job.restart)
		return;
	snprintf(line, sizeof(line),
		 "dist-train: code=freeze: runs the files of %s as this job "
		 "has kept them%s%.12s%s\n",
		 code->root, commit, code->commit,
		 strchr(code->commit, '+') ? "+" : "");
	launch_say(c->l, line);
}

static int use_kept(struct code_own *c, const char *text, struct err *err)
{
	struct launch *l = c->l;

	if (code_parse(text, &c->code) < 0)
		return err_printf(err, "code=freeze: a wrong message");
	if (code_command(&c->code, l->argv, &c->argv, &c->file, err) < 0)
		return -1;
	if (c->argv)
		l->argv = c->argv;
	if (c->file)
		snprintf(l->program, sizeof(l->program), "%s", c->file);
	return 0;
}

/* An answer that lets the step go on. Returns 0 or -1. */
static int take(struct code_own *c, const char *text, struct err *err)
{
	bool first = !c->told;
	char line[1200];

	c->known = true;
	if (first)
		launch_send(c->l, MSG_CODE, text);
	if (*text == CODE_KEPT) {
		if (use_kept(c, text + 1, err) < 0)
			return -1;
		if (first)
			say_kept(c);
	} else if (first) {
		snprintf(line, sizeof(line),
			 "dist-train: code=freeze: nothing is kept: %.1000s\n",
			 text + 1);
		launch_say(c->l, line);
	}
	return 0;
}

/* Of the first launcher, or of this one after that. */
static void answered(void *arg, char *text, bool late)
{
	struct code_own *c = arg;
	struct err err;
	int rc = -1;

	if (late)
		err_printf(&err, "code=freeze: the program's files couldn't be "
				 "read in 10 minutes");
	else if (*text == CODE_KEPT || *text == CODE_NOT)
		rc = take(c, text, &err);
	else if (*text == CODE_FAULT)
		err_printf(&err, "%s", text + 1);
	else
		err_printf(&err, "code=freeze: what keeps the program's files "
				 "was killed");
	forget(c);
	if (rc < 0)
		launch_fail(c->l, err.text);
	else
		phase_done(c->l);
}

static enum phase_state look(struct launch *l, struct err *err)
{
	struct code_own *c = own(l);

	if (c->told && *c->told == CODE_NOT) {
		c->known = true;
		return PHASE_DONE;
	}
	return ask(l, c, code_keep, KEEP_MS, answered, err) < 0 ? PHASE_FAILED
								: PHASE_WAITS;
}

static enum phase_state begin(struct launch *l, struct err *err)
{
	struct code_own *c = own(l);

	if (!is_frozen(&l->plan))
		return compare(l, err);
	if (c->known)
		return PHASE_DONE;
	if (!l->job.procid || c->told)
		return look(l, err);
	launch_send(l, MSG_CODE, "");
	return PHASE_WAITS;
}

static void keep(struct launch *l, const char *data, size_t n)
{
	struct code_own *c = own(l);

	if (!c->known && !c->told && n)
		c->told = strndup(data, n);
}

static enum phase_state message(struct launch *l, const char *data, size_t n,
				struct err *err)
{
	struct code_own *c = own(l);

	(void)data;
	(void)n;
	if (c->known || c->asks)
		return PHASE_WAITS;
	return look(l, err);
}

static void leave(struct launch *l)
{
	forget(own(l));
}

/* With explain=only: what would be kept. */
static int show(struct launch *l, struct err *err)
{
	struct code_own c = {.told = NULL};
	char line[8192];

	if (l->job.procid || !is_frozen(&l->plan))
		return 0;
	make_wish(l, &c);
	if (subprocess_ask(code_show, &c.wish, KEEP_MS, line, sizeof(line),
			   err) < 0)
		return -1;
	printf("dist-train: %s\n", line);
	fflush(stdout);
	return 0;
}

static bool is_wanted(const struct plan *plan)
{
	return is_frozen(plan) || plan->resolved.recovery ||
	       request_number(plan->request, KEY_RESTARTS) > 0;
}

const struct phase code_phase = {
	.name = "code",
	.wanted = is_wanted,
	.show = show,
	.begin = begin,
	.takes = MSG_CODE_ALL,
	.message = message,
	.keep = keep,
	.leave = leave,
	.each_round = true,
	.of_spares = true,
};

/* --- the part --- */

static int add_env(struct launch *l, const struct process *process,
		   struct envset *set, struct err *err)
{
	const struct code_own *c = own(l);

	(void)process;
	return c && c->code.text ? code_env(&c->code, set, err) : 0;
}

static void close_code(struct launch *l)
{
	struct code_own *c = own(l);
	char line[16384];
	struct err ignored;

	forget(c);
	if (c->code.text && !l->job.procid &&
	    subprocess_ask(code_beside, &c->code, BESIDE_MS, line, sizeof(line),
			   &ignored) == 0)
		fputs(line, stderr);
	code_clear(&c->code);
	free(c->told);
	free(c->argv);
	free(c->file);
	free(c->stamp);
}

const struct part code_part = {
	.name = "code",
	.wanted = is_wanted,
	.size = sizeof(struct code_own),
	.close = close_code,
	.env = add_env,
};
