/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/record/recorder.h"

#include "core/facts/record_words.h"
#include "helpers/record/record_file.h"
#include "sys/epoch.h"
#include "sys/kept/state_folder.h"
#include "sys/orphans.h"
#include "sys/subprocess.h"
#include "sys/text_file.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LINES_MAX    256	  /* that wait */
#define BYTES_MAX    (128U << 10) /* of them */
#define LATER_MS     1000	  /* lines are written together */
#define END_MS	     1000	  /* for the last ones */
#define RECORDS_KEPT 200	  /* of the state folder */
#define TRIES_MAX    3		  /* of a child that is killed */

struct recorder {
	struct recorder_options o;
	char *state; /* the user's state folder, with o.dir NULL */
	struct record_line line[LINES_MAX];
	unsigned n;
	size_t bytes;
	unsigned nbatch; /* of them, those that the child has */
	unsigned ndone;	 /* of these, those that are written */
	unsigned ntries;
	bool writing; /* there is a child */
	bool broken;  /* nothing can be written */
	struct subprocess child;
	struct loop_timer later;
	char why[512];
	size_t nwhy;
};

/* --- the child --- */

/* A dot for each line that is done; else a text that says why none is. */
static int tell(int fd, const char *text)
{
	return write_full(fd, text, strlen(text));
}

static bool is_new(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && !st.st_size;
}

static int write_batch(const int fd[2], const void *arg)
{
	const struct recorder *r = arg;
	const char *dir = r->o.dir ? r->o.dir : r->state;
	struct record_line head = {.text = r->o.head, .room = RECORD_MAX};
	struct err err;
	int folder, file;

	close_others(&fd[1], 1);
	file = record_file_open(dir, !r->o.dir, r->o.step, &folder, &err);
	if (file < 0) {
		tell(fd[1], err.text);
		return EXIT_FAILURE;
	}
	if (is_new(file)) {
		if (!r->o.dir)
			state_folder_prune(folder, RECORD_SUFFIX, RECORDS_KEPT);
		record_file_write(file, &head);
	}
	for (unsigned i = 0; i < r->nbatch; i++)
		if (record_file_write(file, &r->line[i]) < 0 ||
		    tell(fd[1], ".") < 0)
			return EXIT_FAILURE;
	return EXIT_SUCCESS;
}

/* --- lines that wait --- */

static void drop(struct recorder *r, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		r->bytes -= strlen(r->line[i].text);
		free(r->line[i].text);
	}
	r->n -= n;
	memmove(r->line, r->line + n, r->n * sizeof(*r->line));
}

static void give_up(struct recorder *r)
{
	r->broken = true;
	drop(r, r->n);
	loop_disarm(r->o.loop, &r->later);
}

/* --- the child's end --- */

static void child_gone(struct recorder *r)
{
	r->writing = false;
	subprocess_close(&r->child);
}

/* A child that was killed has left lines: it may have been our own doing. */
static void on_end(struct recorder *r)
{
	bool done = r->ndone == r->nbatch;

	child_gone(r);
	drop(r, r->ndone);
	if (*r->why || (!done && ++r->ntries == TRIES_MAX)) {
		if (*r->why && r->o.failed)
			r->o.failed(r->o.arg, r->why);
		give_up(r);
	}
}

/* Either dots or a reason. */
static void hear(struct recorder *r, const char *data, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!r->nwhy && data[i] == '.' && r->ndone < r->nbatch)
			r->ndone++;
		else if (r->nwhy + 1 < sizeof(r->why))
			r->why[r->nwhy++] = data[i];
	r->why[r->nwhy] = '\0';
}

static void begin(struct recorder *r);

static void on_output(void *arg, const char *data, size_t n)
{
	struct recorder *r = arg;

	if (n) {
		hear(r, data, n);
		return;
	}
	on_end(r);
	if (r->n)
		begin(r);
}

static void begin(struct recorder *r)
{
	struct subprocess_spec spec = {
		.run = write_batch,
		.arg = r,
		.flags = SUBPROCESS_HANGS,
	};
	struct err err;

	loop_disarm(r->o.loop, &r->later);
	if (r->writing || r->broken)
		return;
	r->nbatch = r->n;
	r->ndone = 0;
	if (subprocess_start(&spec, &r->child, &err) < 0) {
		give_up(r);
		return;
	}
	r->writing = true;
	orphans_spare(r->child.pid);
	if (subprocess_watch(&r->child, r->o.loop, on_output, r, &err) < 0) {
		child_gone(r);
		give_up(r);
	}
}

static void on_later(void *arg)
{
	begin(arg);
}

/* --- what others call --- */

struct recorder *recorder_open(const struct recorder_options *options)
{
	struct recorder *r = calloc(1, sizeof(*r));

	if (!r) {
		free(options->head);
		return NULL;
	}
	r->o = *options;
	r->later = (struct loop_timer){.expired = on_later, .arg = r};
	r->state = r->o.dir ? NULL : state_folder_path();
	r->broken = !r->o.head || (!r->o.dir && !r->state);
	if (!r->broken)
		loop_arm(r->o.loop, &r->later, LATER_MS);
	return r;
}

static void add(struct recorder *r, const struct record_line *line, bool soon)
{
	size_t n = line->text ? strlen(line->text) : 0;

	if (!line->text || r->broken || r->n == LINES_MAX ||
	    r->bytes + n > BYTES_MAX) {
		free(line->text);
		return;
	}
	r->line[r->n++] = *line;
	r->bytes += n;
	if (soon)
		loop_arm(r->o.loop, &r->later, 0);
	else if (!r->later.armed)
		loop_arm(r->o.loop, &r->later, LATER_MS);
}

void recorder_add(struct recorder *r, char *line, unsigned room, bool soon)
{
	add(r, &(struct record_line){.text = line, .room = room}, soon);
}

void recorder_add_saved(struct recorder *r, char *line, unsigned room,
			const char *path)
{
	add(r,
	    &(struct record_line){
		    .text = line,
		    .room = room,
		    .saved = path,
		    .at_ms = epoch_ms(),
	    },
	    true);
}

/* The loop doesn't run any more. Returns whether the child has ended. */
static bool await_child(struct recorder *r, uint64_t until_ms)
{
	struct pollfd p = {.fd = r->child.out, .events = POLLIN};
	char data[512];
	ssize_t n;

	while (r->writing) {
		uint64_t now = loop_now_ms();

		if (now >= until_ms || poll(&p, 1, (int)(until_ms - now)) <= 0)
			return false;
		n = read(r->child.out, data, sizeof(data));
		if (n > 0)
			hear(r, data, (size_t)n);
		else
			on_end(r);
	}
	return true;
}

/* One that hangs is left behind: nobody can end it. */
static void end_child(struct recorder *r)
{
	if (!r->writing)
		return;
	subprocess_kill(&r->child, SIGKILL);
	child_gone(r);
}

void recorder_close(struct recorder *r)
{
	uint64_t until_ms = loop_now_ms() + END_MS;

	if (!r)
		return;
	while (await_child(r, until_ms) && !r->broken &&
	       (r->n || r->later.armed))
		begin(r);
	end_child(r);
	give_up(r);
	free(r->state);
	free(r->o.head);
	free(r);
}
