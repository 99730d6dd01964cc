/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/sample/sample.h"

#include "core/base/text.h"
#include "core/facts/rows.h"
#include "helpers/sample/sample_rank.h"
#include "sys/subprocess.h"

#include <stdlib.h>
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
	struct subprocess_text rows;
	unsigned nundo;
	struct loop_timer again; /* when a stop is to be undone */
};

struct sampling {
	struct sample_wish wish;
	struct loop_timer end; /* out of the caller's call */
	unsigned begun, ended;
	struct stop_undo *undo; /* of each, shared with the children */
	struct looked looked[];
};

static void begin_more(struct sampling *s);

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
		loop_disarm(s->wish.loop, &s->looked[i].again);
		subprocess_text_drop(&s->looked[i].rows);
	}
	munmap(s->undo, undo_size(s->wish.n));
	free(s);
}

/* --- the answer --- */

static void add_rows(const struct looked *k, FILE *f)
{
	/* A child that was killed has ended in the middle of a line */
	size_t n = k->rows.n;
	char note[NOTE_SIZE];

	while (n && k->rows.text[n - 1] != '\n')
		n--;
	if (n) {
		fwrite(k->rows.text, 1, n, f);
		return;
	}
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
		loop_arm(k->sampling->wish.loop, &k->again, UNDO_MS);
}

/* Its tool ends by its end, but not at once. */
static void child_is_over(void *arg, char *rows, bool late)
{
	struct looked *k = arg;

	(void)rows;
	(void)late;
	if (stop_undo_is_open(k->work.undo))
		loop_arm(k->sampling->wish.loop, &k->again, UNDO_MS);
	else
		ended(k);
}

static int begin(struct looked *k, struct err *err)
{
	const struct subprocess_spec spec = {
		.run = sample_rank,
		.arg = &k->work,
		.flags = SUBPROCESS_LOOKS,
	};

	return subprocess_text_begin(&k->rows, &spec,
				     (uint64_t)k->work.ms + CHILD_MS, err);
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
		return err_memory_null(err);
	}
	s->wish = *wish;
	s->wish.target = NULL;
	s->end = (struct loop_timer){.expired = all_done, .arg = s};
	for (unsigned i = 0; i < wish->n; i++) {
		struct looked *k = &s->looked[i];

		k->sampling = s;
		k->again = (struct loop_timer){.expired = undo, .arg = k};
		share_work(wish, &k->work);
		k->rows = (struct subprocess_text){
			.loop = wish->loop,
			.max = k->work.rows_max,
			.done = child_is_over,
			.arg = k,
		};
		k->work.target = wish->target[i];
		k->work.undo = &s->undo[i];
	}
	begin_more(s);
	return s;
}
