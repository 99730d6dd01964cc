/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/ranktable/exchange.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define FAULT	 '!'   /* begins a line that says what is wrong */
#define COMPLETE ".\n" /* ends rows that are all there */

/* --- a child that makes the rows --- */

struct work {
	const struct rows_question *question;
	const struct plan *whole;
};

static int run_child(const int fd[2], const void *arg)
{
	const struct work *w = arg;
	FILE *rows = fdopen(fd[1], "w");
	struct err err;

	if (!rows)
		return 1;
	if (rows_question_ask(w->question, w->whole, rows, &err) < 0)
		fprintf(rows, "%c%s\n", FAULT, err.text);
	else
		fputs(COMPLETE, rows);
	return fflush(rows);
}

/* --- the launcher --- */

static bool is_complete(const struct local_rows *r)
{
	size_t n = strlen(COMPLETE);

	return r->n >= n && !strcmp(r->text + r->n - n, COMPLETE);
}

/* The line that says what is wrong, also after rows; or NULL. */
static char *find_fault(char *text)
{
	char *line = text;

	while (line && *line != FAULT) {
		line = strchr(line, '\n');
		if (line)
			line++;
	}
	if (!line)
		return NULL;
	line[strcspn(line, "\n")] = '\0';
	return line + 1;
}

static void fail(struct local_rows *r, const char *why)
{
	r->done(r->arg, "", 0, why);
}

/* A child that was killed has left a part of the rows, or nothing. */
static void finish(struct local_rows *r)
{
	char *fault = r->n ? find_fault(r->text) : NULL;
	struct err err;

	if (fault) {
		fail(r, fault);
	} else if (is_complete(r)) {
		r->n -= strlen(COMPLETE);
		r->text[r->n] = '\0';
		r->done(r->arg, r->text, r->n, NULL);
	} else {
		err_printf(&err,
			   "node %s: the process that asks the driver for "
			   "NPUs was killed",
			   r->question.node);
		fail(r, err.text);
	}
}

/* What has come stands in r->text then, and what comes next begins anew. */
static bool close_stream(struct local_rows *r)
{
	bool good = fclose(r->stream) == 0;

	r->stream = NULL;
	return good;
}

static int open_stream(struct local_rows *r, struct err *err)
{
	if (r->stream)
		close_stream(r);
	free(r->text);
	r->text = NULL;
	r->stream = open_memstream(&r->text, &r->n);
	return r->stream ? 0 : err_memory(err);
}

static void on_rows(void *arg, const char *data, size_t n)
{
	struct local_rows *r = arg;

	fwrite(data, 1, n, r->stream);
	if (n)
		return;
	if (!close_stream(r))
		r->n = 0;
	finish(r);
}

static int start_child(struct local_rows *r, const struct plan *whole,
		       struct err *err)
{
	const struct work work = {&r->question, whole};
	const struct subprocess_spec spec = {
		.run = run_child,
		.arg = &work,
		.flags = SUBPROCESS_OUT | SUBPROCESS_SIGNALS,
	};

	if (open_stream(r, err) < 0 ||
	    subprocess_start(&spec, &r->sub, err) < 0)
		return -1;
	return subprocess_watch(&r->sub, r->loop, on_rows, r, err);
}

/* --- the library's process, whose answers are mostly all that is needed --- */

/* Make the rows here, or where that may take its time in a child. */
static void use_answers(struct local_rows *r, const char *given_up)
{
	struct devinfo_options *driver = &r->question.driver;
	cleanup_free char *bytes = r->text;
	const struct devinfo_answers answers = {bytes, r->n, given_up};
	struct err err;
	int rc;

	r->text = NULL;
	driver->library = &answers;
	driver->quick = true;
	rc = open_stream(r, &err);
	if (rc == 0) {
		rc = rows_question_ask(&r->question, NULL, r->stream, &err);
		if (!close_stream(r) && rc == 0)
			rc = err_memory(&err);
	}
	driver->quick = false;
	if (rc > 0)
		rc = start_child(r, NULL, &err);
	driver->library = NULL;
	if (rc < 0)
		fail(r, err.text);
	else if (!r->stream)
		r->done(r->arg, r->text, r->n, NULL);
}

static void library_is_done(struct local_rows *r, const char *given_up)
{
	uint64_t gone_s = (loop_now_ms() - r->began_ms) / 1000;
	unsigned *timeout_s = &r->question.driver.timeout_s;

	loop_disarm(r->loop, &r->limit);
	subprocess_close(&r->sub);
	if (!close_stream(r))
		r->n = 0;
	*timeout_s = gone_s < *timeout_s ? *timeout_s - (unsigned)gone_s : 0;
	use_answers(r, given_up);
}

static void on_answer(void *arg, const char *data, size_t n)
{
	struct local_rows *r = arg;

	fwrite(data, 1, n, r->stream);
	if (!n)
		library_is_done(r, NULL);
}

static void library_hangs(void *arg)
{
	struct local_rows *r = arg;
	struct err why;

	subprocess_kill(&r->sub, SIGKILL);
	err_printf(&why, "no end after %.1f s, so it was killed",
		   devinfo_library_ms(&r->question.driver) / 1000.0);
	library_is_done(r, why.text);
}

static int start_library(struct local_rows *r, struct err *err)
{
	struct rows_question *q = &r->question;

	if (open_stream(r, err) < 0 ||
	    devinfo_library_start(&q->driver, &q->wanted.npu, &r->sub, err) <
		    0 ||
	    subprocess_watch(&r->sub, r->loop, on_answer, r, err) < 0)
		return -1;
	r->limit.expired = library_hangs;
	r->limit.arg = r;
	loop_arm(r->loop, &r->limit, (uint64_t)devinfo_library_ms(&q->driver));
	return 0;
}

int local_rows_begin(struct local_rows *r, const struct plan *plan,
		     const struct config *config,
		     const struct rows_wanted *wanted, int hccn_fd, bool all,
		     struct err *err)
{
	r->began_ms = loop_now_ms();
	if (rows_question_fill(&r->question, plan, config, wanted, hccn_fd,
			       err) < 0)
		return -1;
	if (!all && !config->inventory && start_library(r, err) == 0)
		return 0;
	return start_child(r, all ? plan : NULL, err);
}

void local_rows_close(struct local_rows *r)
{
	if (r->loop)
		loop_disarm(r->loop, &r->limit);
	subprocess_close(&r->sub);
	if (r->stream)
		fclose(r->stream);
	free(r->text);
	rows_question_clear(&r->question);
	*r = (struct local_rows){0};
}
