/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread in srun that listens to the step's controller beside it
 * (step_start.h). When that is lost or asks for it, and srun doesn't end in
 * time, the thread makes srun abort the step. The thread is started only for
 * steps whose launchers work together.
 */
#include "spank/ending/srun_liveness.h"

#include "spank/slurm/slurmctld.h"
#include "sys/epoch.h"
#include "sys/log.h"

#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

/* How long srun may take to end: when it certainly hangs, and when it may. */
#define WILL_HANG_MS 1000
#define MAY_HANG_MS  12000
/* When the controller is gone: launchers end all by themselves, and with
 * recovery nobody does. */
#define ENDS_MS	  8000
#define NOBODY_MS 1000

/* srun's exit status when no task has reported its end: 137, as if killed,
 * which is how tasks end whose slurmstepd is gone. */
#define LOST_CODE 137

/* SRUN_THERE; SRUN_TOLD, SRUN_OUTCOME and its byte, each twice; the last word
 */
#define HEARD_LAST 8

#define NEVER UINT64_MAX

static struct lease {
	struct srun_liveness_options o;
	bool open;
	int wake_fd;
	pthread_t thread;
	int line_fd;	     /* -1: the controller has ended */
	uint64_t give_up_ms; /* the step is aborted then */
	bool leads;	     /* the controller does */
	bool headless;	     /* it has ended without a last word */
	bool left_well;	     /* who hasn't been lost has ended with 0 */
	bool node_lost;	     /* and nothing took its place */
	struct srun_heard heard;
	bool said_told;
	/* for the thread, from others */
	atomic_bool closing, has_end;
	_Atomic int64_t end; /* of the job */
} lease;

static void give_up_in(uint64_t ms)
{
	lease.give_up_ms = monotonic_ms() + ms;
}

/* The step is over, and what Slurm will see of its end is `word`. */
static void hear_word(char word)
{
	lease.left_well = word == *SRUN_LEFT_WELL;
	/* A lost node that has come back reports killed tasks */
	if (lease.o.recovery && lease.left_well)
		slurmctld_exit_with(0);
	if (word != *SRUN_ALL_WELL)
		give_up_in(word == *SRUN_MAY_HANG ? MAY_HANG_MS : WILL_HANG_MS);
	if (word == *SRUN_REQUEUE)
		lease.node_lost = true;
}

/* To who leads: before that nobody reads it. */
static void tell_end_time(void)
{
	char bytes[1 + SRUN_END_SIZE] = SRUN_END_TIME;
	uint64_t seconds = htobe64((uint64_t)lease.end);

	if (!lease.has_end || !lease.leads || lease.line_fd < 0)
		return;
	memcpy(bytes + 1, &seconds, sizeof(seconds));
	send(lease.line_fd, bytes, sizeof(bytes), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void begin_to_lead(void)
{
	lease.leads = true;
	tell_end_time();
}

/* It has ended without a last word. One that doesn't lead yet is replaced by
 * one on task 0's node. */
static void lose_controller(void)
{
	if (!lease.leads)
		return;
	lease.headless = true;
	give_up_in(lease.o.recovery ? NOBODY_MS : ENDS_MS);
}

/* Read a byte of the controller's: its last word, or what comes before; or its
 * end. */
static void hear_line(void)
{
	char byte;
	ssize_t n = recv(lease.line_fd, &byte, 1, MSG_DONTWAIT);

	if ((n < 0 && errno == EAGAIN) ||
	    (n > 0 && srun_heard_take(&lease.heard, byte)))
		return;
	if (n > 0 && byte == *SRUN_THERE) {
		begin_to_lead();
		return;
	}
	if (n > 0)
		hear_word(byte);
	else
		lose_controller();
	close(lease.line_fd);
	lease.line_fd = -1;
}

/* srun may end before the last word was read. */
static void hear_the_rest(void)
{
	for (int i = 0; i < HEARD_LAST && lease.line_fd >= 0; i++)
		hear_line();
}

/* Somebody wants something; false: that the thread ends. */
static bool wake_up(void)
{
	uint64_t count;

	if (lease.closing)
		hear_the_rest();
	if (lease.closing || read(lease.wake_fd, &count, sizeof(count)) < 0)
		return false;
	tell_end_time();
	return true;
}

/* Slurm's SIGTERM is told once. */
static void say_told(void)
{
	if (lease.said_told || !lease.heard.told)
		return;
	lease.said_told = true;
	if (lease.o.told)
		lease.o.told();
}

static void give_up(void)
{
	if (lease.headless)
		log_line("srun aborts the step: its controller "
			 "(dist-train-step beside srun) has ended");
	else
		log_line(lease.left_well ? "srun ends the step: the tasks that "
					   "weren't lost "
					   "have ended with exit code 0, and "
					   "Slurm waits 2 s "
					   "for "
					   "the others"
					 : "srun aborts the step: it isn't "
					   "told that all tasks "
					   "have ended; their node or "
					   "slurmstepd may be gone");
	slurmctld_give_up(lease.left_well ? 0 : LOST_CODE);
}

/* For poll(): until something is due. */
static int pause_ms(void)
{
	uint64_t next = lease.give_up_ms, now = monotonic_ms();

	if (next == NEVER)
		return -1;
	return next > now ? (int)(next - now) : 0;
}

/* Wait for something and deal with it; false: the thread has to end. */
static bool hear_all(void)
{
	struct pollfd p[] = {
		{.fd = lease.wake_fd, .events = POLLIN},
		{.fd = lease.line_fd, .events = POLLIN},
	};
	int rc = poll(p, 2, pause_ms());

	if (rc < 0 || (p[0].revents && !wake_up()))
		return false;
	if (p[1].revents)
		hear_line();
	say_told();
	return true;
}

static void *keep(void *arg)
{
	(void)arg;
	while (hear_all())
		if (monotonic_ms() >= lease.give_up_ms) {
			give_up();
			break;
		}
	return NULL;
}

/* Start the thread with all signals blocked: srun's own threads handle them. */
static bool start_thread(void)
{
	sigset_t all, old;
	int rc;

	lease.wake_fd = eventfd(0, EFD_CLOEXEC);
	if (lease.wake_fd < 0)
		return false;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&lease.thread, NULL, keep, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return rc == 0;
}

static void prepare(const struct srun_liveness_options *o)
{
	lease = (struct lease){
		.o = *o,
		.wake_fd = -1,
		.line_fd = o->line_fd,
		.give_up_ms = NEVER,
	};
}

void srun_liveness_open(const struct srun_liveness_options *options)
{
	if (lease.open) {
		close(options->line_fd);
		return;
	}
	prepare(options);
	/* Once the thread runs, the descriptor is its own */
	lease.open = start_thread();
}

static void wake(void)
{
	uint64_t one = 1;
	ssize_t n = write(lease.wake_fd, &one, sizeof(one));

	(void)n; /* it is awake, if the counter is full */
}

void srun_liveness_end_time(int64_t seconds)
{
	if (!lease.open)
		return;
	lease.end = seconds;
	lease.has_end = true;
	wake();
}

bool srun_liveness_close(struct srun_end *ret_end)
{
	if (!lease.open)
		return false;
	lease.closing = true;
	wake();
	pthread_join(lease.thread, NULL);
	lease.open = false;
	*ret_end = (struct srun_end){
		.heard = lease.heard,
		.node_lost = lease.node_lost,
	};
	return true;
}
