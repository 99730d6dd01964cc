/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/sample/sample.h"

#include "core/base/cleanup.h"
#include "core/base/text_stream.h"
#include "core/facts/rows.h"
#include "helpers/sample/sample_rank.h"
#include "sys/subprocess.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CHILD_MS  300 /* a child ends by itself so long before it is killed */
#define UNDO_MS	  100 /* for the tool of one that was to end, too */
#define UNDO_MAX  10
#define WORK_MIN  100
#define ROWS_MIN  4096
#define NOTE_SIZE 128

/* One rank. */
struct looked {
	struct sampling *sampling;
	struct sample_work work;
	struct subprocess sub;
	bool running;
	unsigned nundo;
	struct loop_timer deadline; /* or when a stop is to be undone */
	char *rows;
	size_t n;
};

struct sampling {
	struct sample_wish wish;
	struct loop_timer end; /* out of the caller's call */
	unsigned begun, ended;
	struct stop_undo *undo; /* of each, shared with the children */
	struct looked looked[];
};

static void begin_more(struct sampling *s);

static void end_child(struct looked *k)
{
	if (!k->running)
		return;
	k->running = false;
	loop_disarm(k->sampling->wish.loop, &k->deadline);
	subprocess_kill(&k->sub, SIGKILL);
	subprocess_wait(&k->sub, 0, NULL);
	subprocess_close(&k->sub);
}

static size_t undo_size(unsigned n)
{
	return (n + 1) * sizeof(struct stop_undo);
}

void sample_drop(struct sampling *s)
{
	if (!s)
		return;
	loop_disarm(s->wish.loop, &s->end);
	for (unsigned i = 0; i < s->wish.n; i++) {
		end_child(&s->looked[i]);
		loop_disarm(s->wish.loop, &s->looked[i].deadline);
		free(s->looked[i].rows);
	}
	munmap(s->undo, undo_size(s->wish.n));
	free(s);
}

/* --- the answer --- */

static void add_rows(const struct looked *k, FILE *f)
{
	/* A child that was killed has ended in the middle of a line */
	size_t n = k->n;
	char note[NOTE_SIZE];

	while (n && k->rows[n - 1] != '\n')
		n--;
	fwrite(k->rows, 1, n, f);
	if (n)
		return;
	snprintf(note, sizeof(note),
		 "rank %u (pid %d): no sample within the time that was given",
		 k->work.target.rank, (int)k->work.target.pid);
	row_note(f, note);
}

static void all_done(void *arg)
{
	struct sampling *s = arg;
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);
	cleanup_free char *rows = NULL;

	for (unsigned i = 0; f && i < s->wish.n; i++)
		add_rows(&s->looked[i], f);
	rows = text_stream_take(&stream);
	s->wish.done(s->wish.arg, rows ? rows : "");
	sample_drop(s);
}

/* --- the children --- */

static void ended(struct looked *k)
{
	struct sampling *s = k->sampling;

	s->ended++;
	begin_more(s);
}

static void undo(void *arg)
{
	struct looked *k = arg;

	if (stop_undo(k->work.undo) || ++k->nundo == UNDO_MAX)
		ended(k);
	else
		loop_arm(k->sampling->wish.loop, &k->deadline, UNDO_MS);
}

/* Its tool ends by its end, but not at once. */
static void end(struct looked *k)
{
	end_child(k);
	if (!stop_undo_is_open(k->work.undo)) {
		ended(k);
		return;
	}
	k->deadline.expired = undo;
	loop_arm(k->sampling->wish.loop, &k->deadline, UNDO_MS);
}

static void on_output(void *arg, const char *data, size_t n)
{
	struct looked *k = arg;

	if (!n) {
		end(k);
		return;
	}
	if (n > k->work.rows_max - k->n)
		n = k->work.rows_max - k->n;
	memcpy(k->rows + k->n, data, n);
	k->n += n;
}

static void on_deadline(void *arg)
{
	end(arg);
}

static int begin(struct looked *k, struct err *err)
{
	struct loop *loop = k->sampling->wish.loop;
	struct subprocess_spec spec = {
		.run = sample_rank,
		.arg = &k->work,
		.flags = SUBPROCESS_LOOKS,
	};

	k->rows = malloc(k->work.rows_max);
	if (!k->rows)
		return err_memory(err);
	if (subprocess_start(&spec, &k->sub, err) < 0)
		return -1;
	k->running = true;
	loop_arm(loop, &k->deadline, (uint64_t)k->work.ms + CHILD_MS);
	if (subprocess_watch(&k->sub, loop, on_output, k, err) < 0) {
		end_child(k);
		return -1;
	}
	return 0;
}

static void begin_more(struct sampling *s)
{
	struct err unused;

	while (s->begun < s->wish.n && s->begun - s->ended < SAMPLE_AT_ONCE)
		if (begin(&s->looked[s->begun++], &unused) < 0)
			s->ended++;
	if (s->ended == s->wish.n)
		loop_arm(s->wish.loop, &s->end, 0);
}

/* --- */

/* What one rank may take: so many are looked at one after another. */
static void share_work(const struct sample_wish *wish, struct sample_work *ret)
{
	unsigned turns = (wish->n + SAMPLE_AT_ONCE - 1) / SAMPLE_AT_ONCE;

	ret->native = wish->native;
	ret->ms = wish->ms / (long)(turns ? turns : 1) - 2L * CHILD_MS;
	if (ret->ms < WORK_MIN)
		ret->ms = WORK_MIN;
	ret->rows_max = wish->rows_max / (wish->n ? wish->n : 1) - NOTE_SIZE;
	if (wish->rows_max < (size_t)wish->n * ROWS_MIN)
		ret->rows_max = ROWS_MIN;
}

struct sampling *sample_begin(const struct sample_wish *wish, struct err *err)
{
	struct sampling *s =
		calloc(1, sizeof(*s) + wish->n * sizeof(*s->looked));

	if (s)
		s->undo = mmap(NULL, undo_size(wish->n), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!s || s->undo == MAP_FAILED) {
		free(s);
		err_memory(err);
		return NULL;
	}
	s->wish = *wish;
	s->wish.target = NULL;
	s->end = (struct loop_timer){.expired = all_done, .arg = s};
	for (unsigned i = 0; i < wish->n; i++) {
		struct looked *k = &s->looked[i];

		k->sampling = s;
		k->deadline =
			(struct loop_timer){.expired = on_deadline, .arg = k};
		share_work(wish, &k->work);
		k->work.target = wish->target[i];
		k->work.undo = &s->undo[i];
	}
	begin_more(s);
	return s;
}
