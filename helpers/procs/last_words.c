/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/procs/last_words.h"

#include "helpers/procs/proc_seen.h"
#include "sys/left_signals.h"
#include "sys/orphans.h"
#include "sys/proc_file.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#define STOP_MS	 100 /* until all nodes have stopped theirs */
#define SAY_MS	 10  /* what is told of one is to be read before its stacks */
#define LOOK_MS	 5   /* between two looks whether it has ended */
#define EACH_MS	 100 /* at most; it goes on writing after that */
#define SPARE_MS 50  /* before SIGKILL */

struct speaker {
	unsigned worker; /* which, or what is below it */
	struct proc_seen seen;
	struct proc_id id; /* its number may be another one's by now */
	bool stopped;
};

/* --- all of them --- */

/* The processes below a worker's own come first: when the last worker has
 * ended, what it has left is killed. */
static void add_worker(struct last_words *w, unsigned worker, pid_t its)
{
	pid_t pid[LAST_WORDS_PROCS];
	unsigned n = proc_descendants("", its, pid, LAST_WORDS_PROCS);

	while (n) {
		struct speaker *s = &w->speaker[w->n];

		*s = (struct speaker){.worker = worker};
		if (proc_id_read(pid[--n], &s->id) == 0 &&
		    proc_seen_look("", pid[n], &s->seen) == 0 &&
		    !proc_seen_waits(&s->seen))
			w->n++;
	}
}

static void look_at_all(struct last_words *w)
{
	unsigned left = w->max;

	w->speaker =
		calloc(w->nworkers, LAST_WORDS_PROCS * sizeof(*w->speaker));
	for (unsigned i = 0; w->speaker && i < w->nworkers && left; i++) {
		pid_t pid = w->calls->pid(w->arg, i);

		if (!pid)
			continue;
		add_worker(w, i, pid);
		left--;
	}
}

static void stop_all(struct last_words *w)
{
	for (unsigned i = 0; i < w->n; i++) {
		struct speaker *s = &w->speaker[i];

		s->stopped = proc_seen_can_speak(&s->seen) &&
			     proc_id_is_there(&s->id) &&
			     kill(s->id.pid, SIGSTOP) == 0;
	}
}

/* --- one after the other --- */

/* Where cores go into a pipe the kernel knows one limit alone that keeps it
 * from writing one: 1, which is too little for a file, too. */
static bool without_core(pid_t pid)
{
	struct rlimit limit;

	if (prlimit(pid, RLIMIT_CORE, NULL, &limit) < 0)
		return false;
	limit.rlim_cur = limit.rlim_max ? 1 : 0;
	return prlimit(pid, RLIMIT_CORE, &limit, NULL) == 0;
}

/* It goes on in any case, asked or not. */
static void wake(struct last_words *w, const struct speaker *s, bool asks)
{
	pid_t pid = s->id.pid;

	if (!s->stopped || !proc_id_is_there(&s->id))
		return;
	if (asks && without_core(pid) && kill(pid, SIGABRT) == 0)
		w->asked = pid;
	kill(pid, SIGCONT);
}

static bool is_there(pid_t pid)
{
	struct proc_seen seen;

	return proc_seen_look("", pid, &seen) == 0;
}

/* A process's share of the time that is left. */
static uint64_t share(const struct last_words *w, uint64_t now)
{
	uint64_t ms = w->end_ms > now ? (w->end_ms - now) / (w->n - w->at) : 0;

	return ms < EACH_MS ? ms : EACH_MS;
}

/* Whether it is to be asked now. */
static bool say(struct last_words *w, const struct speaker *s)
{
	bool speaks = proc_seen_can_speak(&s->seen);
	char text[SEEN_TEXT_SIZE];

	if (!w->calls->pid(w->arg, s->worker))
		return false;
	w->calls->say(w->arg, s->worker, proc_seen_text(&s->seen, text),
		      speaks);
	return speaks;
}

/* The time until the next step. */
static uint64_t go_on(struct last_words *w)
{
	uint64_t now = loop_now_ms();

	if (w->asked && now < w->until_ms && is_there(w->asked))
		return LOOK_MS;
	w->asked = 0;
	if (!w->said && say(w, &w->speaker[w->at])) {
		w->said = true;
		return SAY_MS;
	}
	w->until_ms = now + share(w, now);
	wake(w, &w->speaker[w->at], w->said);
	w->said = false;
	w->at++;
	return 0;
}

static void step(void *arg)
{
	struct last_words *w = arg;

	if (w->at < w->n)
		loop_arm(w->loop, &w->timer, go_on(w));
}

static void begin(void *arg)
{
	struct last_words *w = arg;

	if (signals_told_to_end())
		return;
	look_at_all(w);
	stop_all(w);
	w->timer.expired = step;
	loop_arm(w->loop, &w->timer, STOP_MS + w->after_ms);
}

void last_words_open(struct last_words *w, struct loop *loop,
		     const struct last_words_calls *calls, void *arg)
{
	*w = (struct last_words){
		.max = w->max,
		.after_ms = w->after_ms,
		.loop = loop,
		.calls = calls,
		.arg = arg,
		.timer = {.arg = w},
	};
}

void last_words_in(struct last_words *w, unsigned n, uint64_t ms)
{
	last_words_stop(w);
	w->nworkers = n;
	w->timer.expired = begin;
	w->end_ms = loop_now_ms() + ms - SPARE_MS;
	loop_arm(w->loop, &w->timer, ms - LAST_WORDS_MS);
}

void last_words_stop(struct last_words *w)
{
	if (!w->loop)
		return;
	loop_disarm(w->loop, &w->timer);
	free(w->speaker);
	last_words_open(w, w->loop, w->calls, w->arg);
}
