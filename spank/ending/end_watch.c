/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each question is half as far from the next one as the moment in which the
 * ranks are told, so that there are a dozen in a day; another limit is noticed
 * before half of what is left is over.
 */
#include "spank/ending/job_end.h"

#include "spank/slurm/slurmctld.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define BEFORE_S  5	/* the ranks are told: a question before that */
#define LONGEST_S 1800	/* between two questions */
#define AFTER_S	  30	/* the same, when the end has come and gone */
#define NAP_MS	  60000 /* the clock may be set */
#define CLOSE_S	  1

static struct {
	struct end_watch_options o;
	bool open;
	int wake_fd;
	pthread_t thread;
	int64_t next;
	atomic_bool closing, told;
} watch;

int64_t end_watch_next(int64_t now, int64_t end, long lead_s)
{
	int64_t told = end - lead_s - BEFORE_S, half = (told - now + 1) / 2;

	if (!end || (now < told && half > LONGEST_S))
		return now + LONGEST_S;
	if (now < told)
		return now + (told - now <= BEFORE_S ? told - now : half);
	if (now < end - END_WATCH_LAST_S)
		return end - END_WATCH_LAST_S;
	return now + AFTER_S;
}

static bool is_ending(enum job_fate fate)
{
	return fate == FATE_TIMEOUT || fate == FATE_PREEMPTED;
}

static void ask(void)
{
	struct job_life life;
	struct err ignored;
	int64_t now;

	if (slurmctld_job_life(watch.o.job_id, &life, &ignored) < 0) {
		watch.next = time(NULL) + AFTER_S;
		return;
	}
	if (watch.closing)
		return;
	now = time(NULL);
	if (life.end != watch.o.end && life.fate == FATE_RUNS) {
		watch.o.end = life.end;
		watch.o.changed(life.end);
	}
	if (is_ending(life.fate) || (life.fate == FATE_RUNS && life.end &&
				     now >= life.end - END_WATCH_LAST_S))
		watch.o.last_moment(&life);
	watch.next = end_watch_next(now, watch.o.end, watch.o.lead_s);
}

static void nap(void)
{
	struct pollfd p = {.fd = watch.wake_fd, .events = POLLIN};
	int64_t left_ms = (watch.next - time(NULL)) * 1000;
	uint64_t count;

	if (left_ms < 0)
		left_ms = 0;
	if (poll(&p, 1, left_ms < NAP_MS ? (int)left_ms : NAP_MS) == 1 &&
	    read(watch.wake_fd, &count, sizeof(count)) < 0)
		watch.closing = true;
}

static void *keep(void *arg)
{
	(void)arg;
	while (!watch.closing) {
		nap();
		if (!watch.closing && (atomic_exchange(&watch.told, false) ||
				       time(NULL) >= watch.next))
			ask();
	}
	return NULL;
}

void end_watch_open(const struct end_watch_options *options)
{
	sigset_t all, old;

	if (watch.open)
		return;
	watch.o = *options;
	watch.closing = watch.told = false;
	watch.next = end_watch_next(time(NULL), options->end, options->lead_s);
	watch.wake_fd = eventfd(0, EFD_CLOEXEC);
	if (watch.wake_fd < 0)
		return;
	/* srun's own threads handle signals */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	watch.open = pthread_create(&watch.thread, NULL, keep, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void wake(void)
{
	uint64_t one = 1;
	ssize_t n = write(watch.wake_fd, &one, sizeof(one));

	(void)n; /* it is awake, if the counter is full */
}

void end_watch_told(void)
{
	watch.told = true;
	if (watch.open)
		wake();
}

bool end_watch_close(void)
{
	struct timespec until;

	if (!watch.open)
		return true;
	watch.open = false;
	watch.closing = true;
	wake();
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += CLOSE_S;
	if (pthread_timedjoin_np(watch.thread, NULL, &until) == 0)
		return true;
	slurmctld_stay_loaded(); /* the thread still runs in it */
	return false;
}
