/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PyTorch's monitor looks at its pipe each second, and writes the dump into a
 * file that it truncates first: a dump is whole when it can be read. Any Python
 * can do that; it need not be the rank's.
 */
#include "helpers/recorders/collect.h"

#include "core/base/parse.h"
#include "core/base/text.h"
#include "core/facts/rows.h"
#include "helpers/recorders/fr_read.h"
#include "helpers/recorders/recorders.h"
#include "helpers/sample/tools.h"
#include "sys/folder.h"
#include "sys/text_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define RANKS_MAX   256 /* of a node, and of one library */
#define DUMP_MAX    (32L << 20)
#define RANK_MAX    10000000
#define POLL_MS	    50
#define RESERVE_MS  500 /* at the end, to tell what has come */
#define READ_MS_MIN 50	/* for a dump */
#define RAS_LINES   400

static const struct {
	const char *library, *prefix;
} libraries[] = {
	{"torch", RECORDERS_TORCH},
	{"hccl", RECORDERS_HCCL},
};

struct recorder {
	unsigned library, rank;
	bool asked;	       /* its pipe took the byte */
	bool told;	       /* its rows are written */
	struct timespec old;   /* of the dump that was there before; 0: none */
	struct timespec tried; /* of the one that couldn't be read; 0: none */
};

struct work {
	const struct collect_wish *wish;
	uint64_t until;
	struct recorder recorder[RANKS_MAX];
	unsigned n;
	struct keep keep;
	bool keeps;
	char python[PATH_MAX]; /* "": there is none */
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

/* -1: it isn't there, or no plain file, or too large. */
static int open_dump(const struct work *w, const char *name, struct stat *ret)
{
	int fd = openat(w->wish->folder, name,
			O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (fstat(fd, ret) == 0 && S_ISREG(ret->st_mode) &&
	    ret->st_size <= DUMP_MAX)
		return fd;
	close(fd);
	return -1;
}

/* Freed by the caller; NULL: it can't be read. */
static char *read_dump(int fd, const struct stat *st, size_t *ret_n)
{
	char *data = malloc((size_t)st->st_size + 1);
	ssize_t n = data ? read_full(fd, data, (size_t)st->st_size) : -1;

	if (n < 0) {
		free(data);
		return NULL;
	}
	*ret_n = (size_t)n;
	return data;
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
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

/* Its rows, freed by the caller; NULL: it can't be read. */
static char *dump_rows(const struct work *w, const struct recorder *r, int fd,
		       struct err *err)
{
	uint64_t end = w->until + RESERVE_MS, now = loop_now_ms();
	long ms = end > now + READ_MS_MIN ? (long)(end - now) : READ_MS_MIN;
	struct text_stream stream;
	FILE *f;

	if (!*w->python) {
		err_printf(err, "it couldn't be read: there is no python3 in "
				"the job's PATH");
		return NULL;
	}
	f = text_stream_open(&stream);
	return text_stream_end(&stream,
			       f ? fr_read(w->python, fd, r->rank, ms, f, err)
				 : err_memory(err),
			       err);
}

/* With `last` also what is old, or can't be read. One that can't be read may be
 * unfinished. */
static void try_dump(struct work *w, struct recorder *r, bool last)
{
	cleanup_free char *rows = NULL, *data = NULL;
	cleanup_close int fd = -1;
	struct err err = {""};
	struct stat st;
	char name[64];
	bool is_new;
	size_t n;

	dump_name(r, "", name, sizeof(name));
	fd = open_dump(w, name, &st);
	is_new = fd >= 0 && !same_time(&st.st_mtim, &r->old);
	if (fd < 0 || (!last && (same_time(&st.st_mtim, &r->tried) ||
				 (!is_new && r->asked))))
		return;
	data = read_dump(fd, &st, &n);
	if (!data || (!last && !fr_is_whole(data, n)))
		return;
	r->tried = st.st_mtim;
	if (w->wish->ask) /* else they are only kept */
		rows = dump_rows(w, r, fd, &err);
	if (!rows && !last)
		return;
	tell_state(w, r,
		   !rows    ? "unreadable"
		   : is_new ? "written"
			    : "old",
		   err.text);
	if (rows)
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
	if (wish->ask && program_path("python3", wish->pid, w->python,
				      sizeof(w->python)) < 0)
		*w->python = '\0';
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
