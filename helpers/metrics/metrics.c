/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/metrics/metrics.h"

#include "core/facts/handover.h"
#include "core/facts/rows.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOOK_MS 2000 /* between two looks at the files */
#define RATE_MS 1000 /* at least, for a rate of steps */
#define TENTH	10   /* percent */

/* A file at the last look; all zero: nobody has looked. */
struct file_seen {
	ino_t inode;
	off_t size;
	struct timespec written;
};

/* What a rank has said. */
struct said {
	struct report report;
	uint64_t at_ms; /* the newest; 0: nothing */
	struct file_seen file;
	double from_step; /* the rate is that since this step, */
	uint64_t from_ms; /* which was at this time; 0: none was */
	int tenth;	  /* of its way that was told */
};

struct metrics {
	struct metrics_options o;
	struct endpoint *endpoint; /* NULL: there is none */
	struct said *said;
	unsigned first, n;
	struct loop_timer look;
	bool complained; /* one line for all that is wrong */
};

static void __attribute__((format(printf, 2, 3)))
say(const struct metrics *m, const char *fmt, ...)
{
	cleanup_free char *line = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&line, fmt, ap);
	va_end(ap);
	if (n >= 0)
		m->o.say(m->o.arg, line);
}

static void complain(struct metrics *m, unsigned rank, const char *where,
		     const char *why)
{
	if (m->complained)
		return;
	m->complained = true;
	say(m,
	    "dist-train: metrics: rank %u on %s: %s: %s; such reports don't "
	    "count, and this is said once\n",
	    rank, m->o.node, where, why);
}

/* --- a report --- */

/* Where the process doesn't say it: steps since then. It begins anew where the
 * step goes back. */
static void find_rate(struct said *s, struct report *r, uint64_t at_ms)
{
	if (r->known[REPORT_RATE])
		return;
	r->known[REPORT_RATE] = s->report.known[REPORT_RATE];
	if (!r->known[REPORT_STEP])
		return;
	if (s->from_ms && r->value[REPORT_STEP] >= s->from_step) {
		if (at_ms < s->from_ms + RATE_MS ||
		    r->value[REPORT_STEP] == s->from_step)
			return;
		r->known[REPORT_RATE] = true;
		r->value[REPORT_RATE] = (r->value[REPORT_STEP] - s->from_step) *
					1000 / (double)(at_ms - s->from_ms);
	}
	s->from_step = r->value[REPORT_STEP];
	s->from_ms = at_ms;
}

static void find_tenth(struct metrics *m, unsigned i)
{
	struct said *s = &m->said[i];
	int tenth = (int)(s->report.value[REPORT_PERCENT] / TENTH);

	if (!s->report.known[REPORT_PERCENT] || tenth <= s->tenth)
		return;
	s->tenth = tenth;
	m->o.reached(m->o.arg, m->first + i, &s->report);
}

static void take_line(struct metrics *m, unsigned i, const char *line,
		      uint64_t at_ms, const char *where)
{
	struct said *s = &m->said[i];
	struct report report = s->report;
	struct err err;

	if (at_ms < s->at_ms)
		return; /* a file that was written before the newest report */
	report.known[REPORT_RATE] = false;
	if (report_read(line, &report, &err) < 0) {
		complain(m, m->first + i, where, err.text);
		return;
	}
	find_rate(s, &report, at_ms);
	s->report = report;
	s->at_ms = at_ms;
	find_tenth(m, i);
}

static void on_line(void *arg, unsigned rank, char *line)
{
	struct metrics *m = arg;

	if (rank >= m->first && rank - m->first < m->n)
		take_line(m, rank - m->first, line, loop_now_ms(),
			  "its report");
}

static void on_lost(void *arg)
{
	const struct metrics *m = arg;

	say(m,
	    "dist-train: metrics: dist-train-metrics on %s has ended: no more "
	    "reports over HTTPS; those in DIST_TRAIN_PROGRESS_FILE are taken\n",
	    m->o.node);
}

/* --- files: each is its process's own and may be anything, so no link is
 * followed, nothing but a regular file is read, never more than a line of it,
 * and nothing blocks --- */

static bool is_same(const struct file_seen *seen, const struct stat *st)
{
	return seen->inode == st->st_ino && seen->size == st->st_size &&
	       seen->written.tv_sec == st->st_mtim.tv_sec &&
	       seen->written.tv_nsec == st->st_mtim.tv_nsec;
}

static uint64_t age_ms(const struct timespec *written)
{
	struct timespec now;
	long long ms;

	clock_gettime(CLOCK_REALTIME, &now);
	ms = (now.tv_sec - written->tv_sec) * 1000LL +
	     (now.tv_nsec - written->tv_nsec) / 1000000;
	return ms > 0 ? (uint64_t)ms : 0;
}

/* The last line of the text that has more than blanks, in its place; NULL:
 * there is none. */
static char *last_line(char *text)
{
	for (;;) {
		char *line = strrchr(text, '\n');

		line = line ? line + 1 : text;
		if (line[strspn(line, " \t\r")])
			return line;
		if (line == text)
			return NULL;
		line[-1] = '\0';
	}
}

/* The end of the file, as much as the longest line. */
static int read_end(int fd, const struct stat *st, char line[REPORT_LINE_MAX],
		    struct err *err)
{
	char text[REPORT_LINE_MAX + 1], *last;
	off_t at = st->st_size - REPORT_LINE_MAX;
	ssize_t n = pread(fd, text, REPORT_LINE_MAX, at > 0 ? at : 0);

	if (n < 0)
		return err_printf(err, "can't be read: %s", strerror(errno));
	text[n] = '\0';
	last = last_line(text);
	if (!last)
		return 0;
	if (last == text && n == REPORT_LINE_MAX)
		return err_printf(err, "its last line has more than %d bytes",
				  REPORT_LINE_MAX - 1);
	strcpy(line, last);
	return 1;
}

/* The last line of `name` in the folder `dir` that isn't empty, if the file is
 * another one than at the last look. *ret_age_ms: since it was written.
 * Returns 1; 0: there is no new line; -1 with the reason: it is no file, can't
 * be read, or the line is too long. */
static int read_report(int dir, const char *name, struct file_seen *seen,
		       char ret_line[REPORT_LINE_MAX], uint64_t *ret_age_ms,
		       struct err *err)
{
	cleanup_close int fd = -1;
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    is_same(seen, &st))
		return 0;
	*seen = (struct file_seen){st.st_ino, st.st_size, st.st_mtim};
	if (!S_ISREG(st.st_mode))
		return err_printf(err, "is no regular file");
	fd = openat(dir, name,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_printf(err, "can't be read: %s", strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_printf(err, "is no regular file");
	*ret_age_ms = age_ms(&st.st_mtim);
	return read_end(fd, &st, ret_line, err);
}

static void look_at(struct metrics *m, unsigned i)
{
	char name[METRICS_FILE_SIZE], line[REPORT_LINE_MAX];
	uint64_t now = loop_now_ms(), age = 0;
	struct err err;
	int rc;

	snprintf(name, sizeof(name), METRICS_FILE, m->first + i);
	rc = read_report(m->o.dir_fd, name, &m->said[i].file, line, &age, &err);
	if (rc < 0)
		complain(m, m->first + i, "DIST_TRAIN_PROGRESS_FILE", err.text);
	if (rc > 0)
		take_line(m, i, line, age < now ? now - age : 1,
			  "DIST_TRAIN_PROGRESS_FILE");
}

static void look_at_all(struct metrics *m)
{
	for (unsigned i = 0; i < m->n; i++)
		look_at(m, i);
}

static void on_look(void *arg)
{
	struct metrics *m = arg;

	look_at_all(m);
	loop_arm(m->o.loop, &m->look, LOOK_MS);
}

static void remove_files(const struct metrics *m)
{
	char name[METRICS_FILE_SIZE];

	for (unsigned i = 0; i < m->n; i++) {
		snprintf(name, sizeof(name), METRICS_FILE, m->first + i);
		unlinkat(m->o.dir_fd, name, 0);
	}
}

/* --- rounds --- */

static void say_without(const struct metrics *m, const char *why)
{
	say(m,
	    "dist-train: metrics: no reports over HTTPS on %s (%s); those in "
	    "DIST_TRAIN_PROGRESS_FILE are taken\n",
	    m->o.node, why);
}

struct metrics *metrics_open(const struct metrics_options *options)
{
	struct metrics *m = calloc(1, sizeof(*m));
	const struct endpoint_options endpoint = {
		.loop = options->loop,
		.dir = options->dir,
		.line = on_line,
		.lost = on_lost,
		.arg = m,
	};
	struct err err;

	if (!m)
		return NULL;
	m->o = *options;
	m->look = (struct loop_timer){.expired = on_look, .arg = m};
	if (endpoint_open(&endpoint, &m->endpoint, &err) < 0)
		say_without(m, err.text);
	return m;
}

static void start_endpoint(struct metrics *m)
{
	struct err err;

	if (!m->endpoint ||
	    endpoint_start(m->endpoint, m->first, m->n, &err) == 0)
		return;
	say_without(m, err.text);
	endpoint_close(m->endpoint);
	m->endpoint = NULL;
}

int metrics_begin(struct metrics *m, unsigned first, unsigned n,
		  struct err *err)
{
	struct said *said = calloc(n ? n : 1, sizeof(*said));

	if (!said)
		return err_memory(err);
	metrics_end(m);
	free(m->said);
	m->said = said;
	m->first = first;
	m->n = n;
	remove_files(m);
	start_endpoint(m);
	if (m->o.watch)
		loop_arm(m->o.loop, &m->look, LOOK_MS);
	return 0;
}

int metrics_add_env(const struct metrics *m, unsigned rank, struct envset *set,
		    struct err *err)
{
	if (envset_add(set, ENV_OURS, METRICS_KEY, err, METRICS_FILE_VARIABLE,
		       "%s/" METRICS_FILE, m->o.dir, rank) < 0)
		return -1;
	return m->endpoint ? endpoint_add_env(m->endpoint, rank, set, err) : 0;
}

/* --- their end --- */

static void tell_slowest(struct metrics *m)
{
	const struct said *slowest = NULL;

	for (unsigned i = 0; i < m->n; i++) {
		const struct said *s = &m->said[i];

		if (s->report.known[REPORT_STEP] &&
		    (!slowest || s->report.value[REPORT_STEP] <
					 slowest->report.value[REPORT_STEP]))
			slowest = s;
	}
	if (slowest && m->o.ended)
		m->o.ended(m->o.arg, m->first + (unsigned)(slowest - m->said),
			   slowest->report.value[REPORT_STEP]);
}

void metrics_end(struct metrics *m)
{
	if (!m)
		return;
	if (m->look.armed) {
		look_at_all(m);
		tell_slowest(m);
	}
	loop_disarm(m->o.loop, &m->look);
	if (m->endpoint)
		endpoint_stop(m->endpoint);
}

void metrics_close(struct metrics *m)
{
	if (!m)
		return;
	loop_disarm(m->o.loop, &m->look);
	endpoint_close(m->endpoint);
	free(m->said);
	free(m);
}

/* --- who asks --- */

void metrics_tell(struct metrics *m, FILE *f)
{
	char age[32];

	if (!m)
		return;
	look_at_all(m);
	for (unsigned i = 0; i < m->n; i++) {
		const struct said *s = &m->said[i];

		if (!s->at_ms)
			continue;
		snprintf(age, sizeof(age), "%.1f",
			 (double)(loop_now_ms() - s->at_ms) / 1000);
		row_begin(f, "progress");
		row_number(f, m->first + i);
		for (int k = 0; k < REPORT_FIGURES; k++) {
			if (k == REPORT_BUSY)
				row_text(f, age);
			report_put_figure(f, &s->report, (enum report_figure)k);
		}
		report_put_others(f, &s->report);
		row_end(f);
	}
}

uint64_t metrics_last_ms(struct metrics *m, unsigned rank)
{
	if (!m || rank < m->first || rank - m->first >= m->n)
		return 0;
	look_at(m, rank - m->first);
	return m->said[rank - m->first].at_ms;
}
