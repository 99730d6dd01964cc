/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/colour.h"
#include "helpers/cli/status/status_cmd.h"

#include "helpers/cli/commands.h"
#include "helpers/cli/status/top.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define DELAY_S 2
#define AGAIN_MS                                                               \
	1000 /* after the connection was lost: Slurm may know by then          \
		that the step has ended */

enum {
	OPT_DELAY,
	OPT_PORTS,
	OPT_ROWS,
	OPT_HELP,
	OPT_COUNT,
};

const struct command_option top_options[] = {
	[OPT_DELAY] = {"delay", "SECONDS",
		       "(or -d) between two looks; 2 without it"},
	[OPT_PORTS] = OPTION_PORTS,
	[OPT_ROWS] = {"rows", "FILE", NULL},
	[OPT_HELP] = {"help", NULL, "print this help"},
	[OPT_COUNT] = {NULL, NULL, NULL},
};

/* --- the step --- */

void top_ask(struct top *t)
{
	if (t->asking || t->lost || t->over)
		return;
	loop_disarm(&t->loop, &t->refresh);
	t->asking = true;
	status_source_ask(t->source);
}

static void on_shown(void *arg, const char *node, char *rows)
{
	struct top *t = arg;

	step_view_add(&t->coming, node, rows);
}

static void on_without(void *arg, const char *node, bool away)
{
	struct top *t = arg;

	step_view_without(&t->coming, node, away);
}

static void end(struct top *t, const struct err *err)
{
	t->over = true;
	t->err = *err;
	loop_stop(&t->loop);
}

/* Only one that was there can have moved. */
static void on_lost(struct top *t, const struct err *err)
{
	step_view_clear(&t->coming);
	if (!t->seen || t->lost) {
		end(t, err);
		return;
	}
	t->lost = true;
	snprintf(t->note, sizeof(t->note),
		 "the connection is lost: asking Slurm for the step");
	loop_arm(&t->loop, &t->refresh, AGAIN_MS);
	top_draw(t);
}

static void on_done(void *arg, const struct err *err)
{
	struct top *t = arg;

	t->asking = false;
	if (err) {
		on_lost(t, err);
		return;
	}
	step_view_clear(&t->before);
	t->before = t->view;
	t->view = t->coming;
	t->coming = (struct step_view){0};
	step_view_finish(&t->view, &t->before);
	t->seen = true;
	if (t->lost)
		*t->note = '\0';
	t->lost = false;
	loop_arm(&t->loop, &t->refresh, (uint64_t)(t->delay_s * 1000));
	top_draw(t);
}

static void on_refresh(void *arg)
{
	struct top *t = arg;
	struct err err;

	if (!t->lost)
		top_ask(t);
	else if (status_source_again(t->source, &err) < 0)
		end(t, &err);
	else
		t->asking = true;
}

/* --- the terminal --- */

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
		top_key(t, terminal_key(text + i, (size_t)n - i, &used));
	if (!t->left)
		top_draw(t);
}

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
		top_draw(t);
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

static int run(struct top *t, const struct status_place *place,
	       sigset_t *ret_was, struct err *err)
{
	const struct status_source_calls calls = {
		.shown = on_shown,
		.without = on_without,
		.done = on_done,
		.arg = t,
	};

	t->source = status_source_open(place, &t->loop, &calls, err);
	if (!t->source || watch_signals(t, ret_was, err) < 0)
		return -1;
	t->asking = true;
	t->keyboard = (struct loop_watch){
		.fd = STDIN_FILENO,
		.ready = on_key,
		.arg = t,
	};
	t->refresh = (struct loop_timer){.expired = on_refresh, .arg = t};
	if (loop_watch(&t->loop, &t->keyboard, EPOLLIN, err) < 0 ||
	    terminal_open(&t->terminal, err) < 0)
		return -1;
	top_draw(t);
	return loop_run(&t->loop, err);
}

static void clear(struct top *t)
{
	terminal_close(&t->terminal);
	status_source_close(t->source);
	loop_remove(&t->loop, &t->keyboard);
	loop_remove(&t->loop, &t->signals);
	loop_disarm(&t->loop, &t->refresh);
	if (t->signals.fd >= 0)
		close(t->signals.fd);
	loop_close(&t->loop);
	step_view_clear(&t->before);
	step_view_clear(&t->view);
	step_view_clear(&t->coming);
}

/* What was seen last stays on the user's own screen. */
static void say_last(const struct top *t)
{
	if (t->seen)
		view_head(stdout, &t->view, status_source_step(t->source));
}

static int show(const struct status_place *place, double delay_s,
		struct err *err)
{
	struct top t = {
		.delay_s = delay_s,
		.colours = colour_wanted(),
		.signals.fd = -1,
		.how.node = "",
	};
	sigset_t was;
	int rc;

	sigprocmask(SIG_BLOCK, NULL, &was);
	if (loop_open(&t.loop, err) < 0)
		return -1;
	rc = run(&t, place, &was, err);
	if (rc == 0 && t.over) {
		terminal_close(&t.terminal);
		say_last(&t);
		*err = t.err;
		rc = -1;
	}
	clear(&t);
	sigprocmask(SIG_SETMASK, &was, NULL);
	if (t.signal && t.signal != SIGINT)
		raise(t.signal);
	return rc;
}

static int show_once(const struct status_place *place, struct err *err)
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

int top_cmd(int argc, char *argv[], struct err *err)
{
	const char *value[OPT_COUNT] = {NULL};
	int first = command_read(argc, argv, top_options, "dh", value, err);
	struct status_place place;
	double delay_s = DELAY_S;
	int rc;

	if (first < 0 || read_delay(value[OPT_DELAY], &delay_s, err) < 0)
		return EXIT_USAGE;
	if (value[OPT_HELP])
		return SHOW_HELP;
	place.file = value[OPT_ROWS];
	if (command_one_step(argc, argv, first, err) < 0 ||
	    visit_read_ports(value[OPT_PORTS], &place.ports, err) < 0)
		return EXIT_USAGE;
	place.step = argv[first];
	rc = terminal_is_there() ? show(&place, delay_s, err)
				 : show_once(&place, err);
	return rc < 0 ? EXIT_FINDING : EXIT_DONE;
}
