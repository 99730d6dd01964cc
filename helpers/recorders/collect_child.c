/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PyTorch's monitor looks at its pipe each second, and writes the dump into a
 * file that it truncates first: a dump is whole when it can be read.
 */
#include "helpers/recorders/collect.h"

#include "core/base/cleanup.h"
#include "core/base/parse.h"
#include "core/facts/rows.h"
#include "helpers/recorders/fr_read.h"
#include "helpers/recorders/keep.h"
#include "helpers/recorders/ras.h"
#include "helpers/recorders/recorders.h"
#include "sys/folder.h"
#include "sys/io_full.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define RANKS_MAX  256 /* of a node, and of one library */
#define DUMP_MAX   (32L << 20)
#define RANK_MAX   10000000
#define POLL_MS	   50
#define RESERVE_MS 300 /* at the end, to tell what has come */
#define RAS_LINES  400

static const struct {
	const char *library, *prefix;
} libraries[] = {
	{"torch", RECORDERS_TORCH},
	{"hccl", RECORDERS_HCCL},
};

struct recorder {
	unsigned library, rank;
	bool asked;	     /* its pipe took the byte */
	bool told;	     /* its rows are written */
	struct timespec old; /* of the dump that was there before; 0: none */
};

struct work {
	const struct collect_wish *wish;
	uint64_t until;
	struct recorder recorder[RANKS_MAX];
	unsigned n;
	struct keep keep;
	bool keeps;
	FILE *f;
};

static void dump_name(const struct recorder *r, const char *end, char *buf,
		      size_t size)
{
	snprintf(buf, size, "%s%u%s", libraries[r->library].prefix, r->rank,
		 end);
}

/* --- who is there --- */

static struct recorder *recorder_of(struct work *w, unsigned library,
				    unsigned rank)
{
	for (unsigned i = 0; i < w->n; i++)
		if (w->recorder[i].library == library &&
		    w->recorder[i].rank == rank)
			return &w->recorder[i];
	if (w->n == RANKS_MAX)
		return NULL;
	w->recorder[w->n] = (struct recorder){.library = library, .rank = rank};
	return &w->recorder[w->n++];
}

/* LIBRARY_rank_N or LIBRARY_rank_N.pipe */
static void look(void *arg, int fd, const char *name)
{
	struct work *w = arg;

	(void)fd;
	for (unsigned i = 0; i < sizeof(libraries) / sizeof(*libraries); i++) {
		size_t n = strlen(libraries[i].prefix);
		char digits[16];
		long rank;

		if (strncmp(name, libraries[i].prefix, n) != 0)
			continue;
		snprintf(digits, sizeof(digits), "%.*s",
			 (int)strcspn(name + n, "."), name + n);
		if (parse_number(digits, 0, RANK_MAX, &rank) == 0)
			recorder_of(w, i, (unsigned)rank);
	}
}

static void note_old(struct work *w, struct recorder *r)
{
	char name[64];
	struct stat st;

	dump_name(r, "", name, sizeof(name));
	if (fstatat(w->wish->folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		r->old = st.st_mtim;
}

/* A pipe that nobody reads any more can't be opened. */
static void ask(struct work *w, struct recorder *r)
{
	char name[64];
	cleanup_close int fd = -1;
	struct stat st;

	dump_name(r, ".pipe", name, sizeof(name));
	fd = openat(w->wish->folder, name,
		    O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	r->asked = fd >= 0 && fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode) &&
		   write(fd, "1\n", 2) == 2;
}

/* --- a dump --- */

/* Its bytes, freed by the caller; NULL: it isn't there, or no plain file, or
 * too large. */
static char *read_dump(struct work *w, const char *name, size_t *ret_n,
		       struct timespec *ret_at)
{
	cleanup_close int fd =
		openat(w->wish->folder, name,
		       O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	char *data;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    st.st_size > DUMP_MAX)
		return NULL;
	data = malloc((size_t)st.st_size + 1);
	n = data ? read_full(fd, data, (size_t)st.st_size) : -1;
	if (n < 0) {
		free(data);
		return NULL;
	}
	*ret_n = (size_t)n;
	*ret_at = st.st_mtim;
	return data;
}

static void tell_state(struct work *w, const struct recorder *r,
		       const char *state, const char *text)
{
	row_begin(w->f, "recorder");
	row_number(w->f, r->rank);
	row_text(w->f, libraries[r->library].library);
	row_text(w->f, state);
	row_text(w->f, text);
	row_end(w->f);
}

static void keep(struct work *w, const char *name, const void *data, size_t n)
{
	struct err err;

	if (w->keeps && keep_file(&w->keep, name, data, n, &err) < 0)
		row_note(w->f, err.text);
}

/* With `last` also what is old, or can't be read. */
static void try_dump(struct work *w, struct recorder *r, bool last)
{
	cleanup_free char *rows = NULL, *data = NULL;
	struct timespec at;
	struct err err = {""};
	char name[64];
	size_t n, nrows;
	bool is_new;
	FILE *f;

	dump_name(r, "", name, sizeof(name));
	data = read_dump(w, name, &n, &at);
	is_new = data &&
		 (at.tv_sec != r->old.tv_sec || at.tv_nsec != r->old.tv_nsec);
	if (!data || (!is_new && r->asked && !last))
		return;
	f = open_memstream(&rows, &nrows);
	if (!f)
		return;
	r->told = fr_read(data, n, r->rank, f, &err) == 0;
	fclose(f);
	if (!r->told && !last)
		return;
	tell_state(w, r,
		   !r->told ? "unreadable"
		   : is_new ? "written"
			    : "old",
		   err.text);
	if (r->told && rows)
		fputs(rows, w->f);
	keep(w, name, data, n);
	fflush(w->f);
	r->told = true;
}

/* Returns whether all have come. */
static bool try_all(struct work *w, bool last)
{
	bool all = true;

	for (unsigned i = 0; i < w->n; i++) {
		struct recorder *r = &w->recorder[i];

		if (!r->told)
			try_dump(w, r, last || !r->asked);
		all = all && (r->told || !r->asked);
		if (last && !r->told)
			tell_state(w, r, "silent",
				   r->asked ? "no dump came in time"
					    : "nobody reads its pipe");
	}
	return all;
}

/* --- RAS --- */

static void tell_ras(struct work *w, char *text)
{
	unsigned n = 0;
	char *line;

	while (n++ < RAS_LINES && (line = strsep(&text, "\n"))) {
		row_begin(w->f, "ras");
		row_text(w->f, line);
		row_end(w->f);
	}
}

static void ask_ras(struct work *w)
{
	cleanup_free char *text = NULL;
	struct err err;
	char name[300];

	if (!w->wish->ras)
		return;
	if (ras_ask(w->wish->ras, w->wish->ms / 2, &text, &err) < 0) {
		row_note(w->f, err.text);
		return;
	}
	snprintf(name, sizeof(name), "ras.%.200s.txt", w->wish->node);
	keep(w, name, text, strlen(text));
	tell_ras(w, text);
}

/* --- all of it --- */

static void wait_for_dumps(struct work *w)
{
	static const struct timespec pause = {0, POLL_MS * 1000000L};

	while (!try_all(w, false) && loop_now_ms() < w->until)
		nanosleep(&pause, NULL);
	try_all(w, true);
}

static void open_keep(struct work *w)
{
	const struct collect_wish *x = w->wish;
	struct err err;

	w->keeps = keep_open(&w->keep, x->step, x->limit, &err) == 0;
	if (!w->keeps)
		row_note(w->f, err.text);
}

static void close_keep(struct work *w)
{
	if (!w->keeps)
		return;
	row_begin(w->f, "kept");
	row_text(w->f, w->keep.path);
	row_number(w->f, w->keep.nfiles);
	row_number(w->f, (long long)w->keep.nbytes);
	row_end(w->f);
	keep_close(&w->keep);
}

static void keep_stacks(struct work *w)
{
	const char *text = w->wish->stacks;

	open_keep(w);
	keep(w, "stacks.txt", text, strlen(text));
	close_keep(w);
}

static void collect(struct work *w)
{
	const struct collect_wish *wish = w->wish;

	if (wish->folder >= 0)
		folder_each(wish->folder, look, w);
	for (unsigned i = 0; i < w->n; i++)
		note_old(w, &w->recorder[i]);
	for (unsigned i = 0; wish->ask && i < w->n; i++)
		ask(w, &w->recorder[i]);
	if (w->n || wish->ras)
		open_keep(w);
	ask_ras(w);
	wait_for_dumps(w);
	close_keep(w);
}

int collect_run(const int fd[2], const void *arg)
{
	const struct collect_wish *wish = arg;
	struct work *w = calloc(1, sizeof(*w));

	if (!w || !(w->f = fdopen(dup(fd[1]), "w")))
		return EXIT_FAILURE;
	w->wish = wish;
	w->until =
		loop_now_ms() +
		(uint64_t)(wish->ms > RESERVE_MS ? wish->ms - RESERVE_MS : 0);
	if (wish->stacks)
		keep_stacks(w);
	else
		collect(w);
	return fclose(w->f) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
