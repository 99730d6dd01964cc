/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top: what status prints, on a terminal, again and again. A screen is made as
 * a whole and written at once, from its upper left corner on: nothing flickers,
 * and nothing of the screen before stays.
 */
#include "helpers/cli/command.h"

#include "core/base/text.h"
#include "helpers/cli/status/looks.h"
#include "helpers/cli/status/terminal.h"
#include "helpers/cli/status/view_lines.h"
#include "sys/text_file.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#define DELAY_S	  2
#define DELAY_MIN 0.1 /* seconds between two looks */
#define DELAY_MAX 3600
/* After the connection was lost: Slurm may know by then that the step has
 * ended. */
#define AGAIN_MS 1000
#define SMALL	 10 /* rows: with fewer the table has all but one */
#define HINTS	 "Up Down PgUp PgDn  < > sort  r reverse  g group  q quit"

static const struct command_option options[] = {
	{"delay", "SECONDS", "(or -d) between two looks; 2 without it"},
	OPTION_PORTS,
	{"rows", "FILE", NULL},
	{0},
};

struct top {
	struct loop loop;
	struct terminal terminal;
	struct loop_watch keyboard, signals;
	struct loop_timer refresh;
	bool left;  /* by a key */
	int signal; /* that ended it; 0: none */

	struct looks *looks;
	bool seen;	/* there was one */
	bool lost;	/* the connection; Slurm is asked next */
	struct err err; /* why nothing more can be seen */
	bool over;

	double delay_s;
	struct lines_options how;
	unsigned first; /* line that is shown */
	unsigned page;	/* lines that had room */
	bool colours;
};

/* --- the screen --- */

struct screen {
	FILE *f;
	unsigned rows, columns;
	unsigned used; /* rows */
};

/* Cut at the screen's end; a text that holds no control character. */
static void put_line(struct screen *s, const char *style, const char *text)
{
	bool whole = style && !strcmp(style, TERMINAL_REVERSE);

	if (s->used == s->rows)
		return;
	if (s->used++)
		fputs("\r\n", s->f);
	fprintf(s->f, "\033[2K%s%-*.*s%s", style ? style : "",
		whole ? (int)s->columns : 0, (int)s->columns, text,
		style ? TERMINAL_PLAIN : "");
}

static void put_head(struct screen *s, const struct top *t)
{
	unsigned max = s->rows < SMALL ? 1 : s->rows / 3;
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);
	cleanup_free char *text = NULL;
	char *at, *line;

	if (f)
		view_head(f, looks_view(t->looks), looks_step(t->looks));
	text = text_stream_take(&stream);
	for (at = text; max && (line = strsep(&at, "\n")) && at; max--)
		put_line(s, NULL, line);
}

static void put_note(struct screen *s, const struct top *t)
{
	char text[128], now_text[16];
	time_t now = time(NULL);
	struct tm tm;

	if (t->lost) {
		put_line(s, TERMINAL_BOLD,
			 "the connection is lost: asking Slurm for the step");
		return;
	}
	strftime(now_text, sizeof(now_text), "%H:%M:%S",
		 localtime_r(&now, &tm));
	snprintf(text, sizeof(text), "%s, every %g s, sorted by %s%s", now_text,
		 t->delay_s, figures[t->how.figure].head,
		 t->how.reverse ? " reversed" : "");
	put_line(s, NULL, text);
}

static const char *style_of(const struct top *t, const struct line *line)
{
	if (line_has_failed(line))
		return t->colours ? TERMINAL_RED : TERMINAL_BOLD;
	if (line_is_slow(line))
		return t->colours ? TERMINAL_YELLOW : TERMINAL_BOLD;
	return NULL;
}

/* The lines that have room, from t->first on, below the table's head. */
static void put_rows(struct screen *s, struct top *t, const struct lines *lines,
		     char *text)
{
	put_line(s, TERMINAL_REVERSE, strsep(&text, "\n"));
	for (unsigned i = 0; i < lines->n && i < t->first + t->page; i++) {
		const char *line = strsep(&text, "\n");

		if (i >= t->first)
			put_line(s, style_of(t, &lines->line[i]), line);
	}
}

static char *table_text(const struct lines *lines, unsigned columns)
{
	cleanup_table struct text_table table = {0};
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);
	struct err err;

	view_table(lines, &table);
	text_table_fit(&table, (int)columns);
	return text_stream_end(
		&stream, f ? text_table_print(f, &table, &err) : -1, &err);
}

static void put_table(struct screen *s, struct top *t)
{
	unsigned other = s->used + 1 + (s->rows >= SMALL);
	cleanup_free char *text = NULL;
	struct lines lines;
	char hints[128] = HINTS;

	if (lines_make(looks_view(t->looks), &t->how, &lines) < 0)
		return;
	t->page = s->rows > other ? s->rows - other : 0;
	if (t->first + t->page > lines.n)
		t->first = lines.n > t->page ? lines.n - t->page : 0;
	text = table_text(&lines, s->columns);
	if (text)
		put_rows(s, t, &lines, text);
	if (lines.n > t->page)
		snprintf(hints, sizeof(hints), "%u to %u of %u  " HINTS,
			 t->first + 1, t->first + t->page, lines.n);
	if (s->rows >= SMALL)
		put_line(s, NULL, hints);
	lines_clear(&lines);
}

static void put_all(struct screen *s, struct top *t)
{
	char text[128];

	if (!t->seen) {
		snprintf(text, sizeof(text), "asking step %s ...",
			 looks_step(t->looks));
		put_line(s, NULL, text);
		return;
	}
	put_head(s, t);
	put_note(s, t);
	put_table(s, t);
}

static void draw(struct top *t)
{
	cleanup_free char *text = NULL;
	size_t size;
	struct screen s = {.f = open_memstream(&text, &size)};

	if (!s.f)
		return;
	terminal_size(&s.rows, &s.columns);
	fputs("\033[H", s.f);
	put_all(&s, t);
	if (s.used < s.rows)
		fputs("\r\n\033[J", s.f);
	if (fclose(s.f) == 0)
		write_full(STDOUT_FILENO, text, size);
}

/* --- the step --- */

static void end(struct top *t, const struct err *err)
{
	t->over = true;
	t->err = *err;
	loop_stop(&t->loop);
}

/* A connection is lost: only one that was there can have moved. */
static void on_done(void *arg, const struct err *err)
{
	struct top *t = arg;

	if (err && (!t->seen || t->lost)) {
		end(t, err);
		return;
	}
	t->seen = true;
	t->lost = err;
	loop_arm(&t->loop, &t->refresh,
		 err ? AGAIN_MS : (uint64_t)(t->delay_s * 1000));
	draw(t);
}

static void on_refresh(void *arg)
{
	struct top *t = arg;
	struct err err;

	if (!t->lost)
		looks_ask(t->looks);
	else if (looks_again(t->looks, &err) < 0)
		end(t, &err);
}

/* --- keys --- */

static void quit(struct top *t, int unused)
{
	(void)unused;
	t->left = true;
	loop_stop(&t->loop);
}

/* The screen knows where the end is. */
static void scroll(struct top *t, int lines)
{
	bool begins = lines < 0 && t->first < (unsigned)-lines;

	t->first = begins ? 0 : t->first + (unsigned)lines;
}

static void scroll_page(struct top *t, int by)
{
	scroll(t, t->page > 1 ? by * ((int)t->page - 1) : by);
}

/* By the next column, or the one before. */
static void sort_by(struct top *t, int by)
{
	unsigned *figure = &t->how.figure;

	do
		*figure = (*figure + FIGURES + (unsigned)by) % FIGURES;
	while (!figure_is_shown(looks_view(t->looks), *figure));
	t->how.reverse = false;
	t->first = 0;
}

static void reverse(struct top *t, int unused)
{
	(void)unused;
	t->how.reverse = !t->how.reverse;
	t->first = 0;
}

static void group(struct top *t, int by)
{
	t->how.how = (t->how.how + (unsigned)by) % LINES_HOWS;
	t->first = 0;
}

static const struct {
	int key;
	void (*act)(struct top *top, int by);
	int by;
} keys[] = {
	{'q', quit, 0},
	{KEY_UP, scroll, -1},
	{KEY_DOWN, scroll, 1},
	{KEY_PAGE_UP, scroll_page, -1},
	{KEY_PAGE_DOWN, scroll_page, 1},
	{'<', sort_by, -1},
	{KEY_LEFT, sort_by, -1},
	{'>', sort_by, 1},
	{KEY_RIGHT, sort_by, 1},
	{'r', reverse, 0},
	{'g', group, 1},
};

static void act(struct top *t, int key)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (keys[i].key == key)
			keys[i].act(t, keys[i].by);
}

static void on_key(void *arg, uint32_t events)
{
	struct top *t = arg;
	char text[256];
	ssize_t n = read(STDIN_FILENO, text, sizeof(text));
	size_t used;

	(void)events;
	if (n <= 0) {
		loop_stop(&t->loop);
		return;
	}
	for (size_t i = 0; i < (size_t)n && !t->left; i += used)
		act(t, terminal_key(text + i, (size_t)n - i, &used));
	if (!t->left)
		draw(t);
}

/* --- signals --- */

/* Give the terminal back while we are stopped. */
static void pause_here(struct top *t)
{
	struct err unused;

	terminal_close(&t->terminal);
	raise(SIGSTOP);
	terminal_open(&t->terminal, &unused);
}

static void on_signal(void *arg, uint32_t events)
{
	struct top *t = arg;
	struct signalfd_siginfo info;

	(void)events;
	if (read(t->signals.fd, &info, sizeof(info)) != sizeof(info))
		return;
	if (info.ssi_signo == SIGTSTP)
		pause_here(t);
	if (info.ssi_signo == SIGWINCH || info.ssi_signo == SIGCONT ||
	    info.ssi_signo == SIGTSTP) {
		draw(t);
		return;
	}
	t->signal = (int)info.ssi_signo;
	loop_stop(&t->loop);
}

static int watch_signals(struct top *t, sigset_t *ret_was, struct err *err)
{
	static const int number[] = {SIGINT,  SIGTERM,	SIGHUP, SIGQUIT,
				     SIGTSTP, SIGWINCH, SIGCONT};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(number) / sizeof(*number); i++)
		sigaddset(&set, number[i]);
	sigprocmask(SIG_BLOCK, &set, ret_was);
	t->signals = (struct loop_watch){
		.fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK),
		.ready = on_signal,
		.arg = t,
	};
	if (t->signals.fd < 0)
		return err_printf(err, "signals can't be waited for");
	return loop_watch(&t->loop, &t->signals, EPOLLIN, err);
}

/* --- all --- */

static int run(struct top *t, const struct looks_place *place,
	       sigset_t *ret_was, struct err *err)
{
	const struct looks_calls calls = {.done = on_done, .arg = t};

	t->looks = looks_open(place, &t->loop, &calls, err);
	if (!t->looks || watch_signals(t, ret_was, err) < 0)
		return -1;
	t->keyboard = (struct loop_watch){
		.fd = STDIN_FILENO,
		.ready = on_key,
		.arg = t,
	};
	t->refresh = (struct loop_timer){.expired = on_refresh, .arg = t};
	if (loop_watch(&t->loop, &t->keyboard, EPOLLIN, err) < 0 ||
	    terminal_open(&t->terminal, err) < 0)
		return -1;
	draw(t);
	return loop_run(&t->loop, err);
}

static void clear(struct top *t)
{
	terminal_close(&t->terminal);
	looks_close(t->looks);
	loop_remove(&t->loop, &t->keyboard);
	loop_remove(&t->loop, &t->signals);
	loop_disarm(&t->loop, &t->refresh);
	if (t->signals.fd >= 0)
		close(t->signals.fd);
	loop_close(&t->loop);
}

static int show(const struct looks_place *place, double delay_s,
		struct err *err)
{
	struct top t = {
		.delay_s = delay_s,
		.colours = colour_wanted(),
		.signals.fd = -1,
	};
	sigset_t was;
	int rc;

	sigprocmask(SIG_BLOCK, NULL, &was);
	if (loop_open(&t.loop, err) < 0)
		return -1;
	rc = run(&t, place, &was, err);
	if (rc == 0 && t.over) {
		/* What was seen last stays on the user's own screen */
		terminal_close(&t.terminal);
		if (t.seen)
			view_head(stdout, looks_view(t.looks),
				  looks_step(t.looks));
		*err = t.err;
		rc = -1;
	}
	clear(&t);
	sigprocmask(SIG_SETMASK, &was, NULL);
	if (t.signal && t.signal != SIGINT)
		raise(t.signal);
	return rc;
}

static int show_once(const struct looks_place *place, struct err *err)
{
	const struct status_form form = {0};

	fputs("dist-train: top needs a terminal; this is what dist-train "
	      "status prints\n",
	      stderr);
	return status_print_once(place, &form, err);
}

static int read_delay(const char *text, double *ret, struct err *err)
{
	char *end;
	double s = text ? strtod(text, &end) : DELAY_S;

	if (text &&
	    (end == text || *end || !(s >= DELAY_MIN) || !(s <= DELAY_MAX)))
		return err_printf(err,
				  "top: --delay=%.40s is no time: it takes %g "
				  "to %d seconds",
				  text, DELAY_MIN, DELAY_MAX);
	*ret = s;
	return 0;
}

static int run_top(struct given *g, struct err *err)
{
	struct looks_place place = {.step = g->word[0],
				    .file = option(g, "rows")};
	double delay_s = DELAY_S;
	int rc;

	if (read_delay(option(g, "delay"), &delay_s, err) < 0 ||
	    visit_read_ports(option(g, "ports"), &place.ports, err) < 0)
		return EXIT_USAGE;
	rc = terminal_is_there() ? show(&place, delay_s, err)
				 : show_once(&place, err);
	return rc < 0 ? EXIT_FINDING : EXIT_DONE;
}

const struct command top_command = {
	.name = "top",
	.summary = "the same on a terminal, updated in place",
	.usage = "[JOB[.STEP]] [-d SECONDS]",
	.about = "Shows the ranks of a running step again and again, "
		 "sorted; its last line has the keys. Without JOB as "
		 "dist-train status.",
	.example = "dist-train top",
	.page = "dist-train-top",
	.options = options,
	.words = 1,
	.takes = TAKES_STEP,
	.run = run_top,
};
