/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread in srun that listens to the launcher of task 0 or, in a step with
 * recovery, to the one that is the centre (srun_claims.h). When the launcher is
 * lost or asks for it, and srun doesn't end in time, the thread makes srun
 * abort the step. The thread is started only for steps whose launchers work
 * together.
 */
#include "spank/srun/srun_liveness.h"

#include "core/option/recovery_times.h"
#include "spank/slurm/slurmctld.h"
#include "spank/srun/srun_callers.h"
#include "spank/srun/srun_claims.h"
#include "sys/log.h"

#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* How long srun may take to end: when it certainly hangs, when it may hang, and
 * in addition to grace when the launcher has gone without a message. */
#define WILL_HANG_MS 1000
#define MAY_HANG_MS  12000
#define MARGIN_S     2
/* When the controller is gone: launchers end all by themselves, and with
 * recovery nobody does. */
#define ENDS_MS	  8000
#define NOBODY_MS 1000
/* No descriptor was free for a connection: until the next try. */
#define RETRY_MS 1000

/* srun's exit status when no task has reported its end: 137, as if killed,
 * which is how tasks end whose slurmstepd is gone. */
#define LOST_CODE 137

/* SRUN_TOLD, SRUN_OUTCOME and its byte, each twice, and the last word */
#define HEARD_LAST 7

#define NEVER	UINT64_MAX
#define FDS_MAX (2 + CALLERS_MAX + 1 + CLAIMS_MAX + 1)

static struct {
	struct srun_liveness_options o;
	bool open;
	unsigned port;
	int wake_fd;
	pthread_t thread;
	struct callers callers;
	struct claims claims; /* in a step with recovery */
	int launcher_fd;      /* in another one, of the one that sent the token;
				 -1: none yet, or it has ended */
	uint64_t read_ms;     /* when the clock was read */
	uint64_t now_ms;      /* for how long srun has run, see read_clock() */
	uint64_t give_up_ms;  /* the step is aborted then */
	uint64_t retry_ms;    /* the port is looked at again then */
	bool leads;	      /* who is at the other end decides for the step */
	bool headless;	      /* it was beside srun, and has ended */
	bool over;	      /* the last word was said */
	bool left_well;	      /* who hasn't been lost has ended with 0 */
	bool node_lost;	      /* and nothing took its place */
	struct srun_heard heard;
	bool said_told;
	/* for the thread, from others */
	atomic_bool closing, has_end;
	_Atomic int64_t end; /* of the job */
} lease = {.callers.listen_fd = -1, .wake_fd = -1, .launcher_fd = -1};

/* Any launcher may come to lead a step with recovery; a controller beside srun
 * stays. */
static bool hears_claims(void)
{
	return lease.o.recovery && !lease.o.line_fd;
}

static uint64_t clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* srun may have been stopped (Ctrl-Z), and hasn't listened meanwhile: in a step
 * with recovery, where the thread wakes at each interval, a longer pause counts
 * as two of them, and those who were silent have time to be heard. */
static void read_clock(void)
{
	uint64_t now = clock_ms(), ran = now - lease.read_ms;
	uint64_t most = 2 * lease.claims.interval_ms;

	lease.read_ms = now;
	lease.now_ms += most && ran > most ? most : ran;
}

static void give_up_in(uint64_t ms)
{
	lease.give_up_ms = lease.now_ms + ms;
}

static uint64_t patience_ms(void)
{
	return (uint64_t)(lease.o.grace_s + MARGIN_S) * 1000;
}

/* The step is over, and what Slurm will see of its end is `word`. */
static void hear_word(char word)
{
	lease.over = true;
	callers_close(&lease.callers);
	claims_close(&lease.claims);
	lease.left_well = word == *SRUN_LEFT_WELL;
	/* A lost node that has come back reports killed tasks */
	if (lease.o.recovery && lease.left_well)
		slurmctld_exit_zero();
	if (word != *SRUN_ALL_WELL)
		give_up_in(word == *SRUN_MAY_HANG ? MAY_HANG_MS : WILL_HANG_MS);
	if (word == *SRUN_REQUEUE)
		lease.node_lost = true;
}

/* Read a byte of the launcher's: its last word, or what comes before; or the
 * end of its connection. */
static void hear_launcher(void)
{
	char byte;
	ssize_t n = recv(lease.launcher_fd, &byte, 1, 0);

	if ((n < 0 && errno == EAGAIN) ||
	    (n > 0 && srun_heard_take(&lease.heard, byte)))
		return;
	if (n > 0 && byte == *SRUN_THERE) {
		lease.leads = true;
		return;
	}
	if (n > 0) {
		hear_word(byte);
	} else if (lease.leads && lease.o.line_fd) {
		lease.headless = true;
		give_up_in(lease.o.recovery ? NOBODY_MS : ENDS_MS);
	} else if (lease.leads) {
		give_up_in(patience_ms());
		if (n < 0 && errno == ETIMEDOUT)
			lease.node_lost = true;
	}
	close(lease.launcher_fd);
	lease.launcher_fd = -1;
}

/* In a step with recovery claims_end_time() keeps it for who comes. */
static void tell_end_time(void)
{
	char bytes[1 + SRUN_END_SIZE] = SRUN_END_TIME;
	uint64_t seconds = htobe64((uint64_t)lease.end);

	memcpy(bytes + 1, &seconds, sizeof(seconds));
	if (hears_claims())
		claims_end_time(&lease.claims, lease.end);
	else if (lease.launcher_fd >= 0)
		send(lease.launcher_fd, bytes, sizeof(bytes),
		     MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Nobody else is expected, and the token isn't taken twice. */
static void let_launcher_in(int fd)
{
	if (send(fd, SRUN_THERE, 1, MSG_NOSIGNAL) != 1) {
		close(fd);
		return;
	}
	lease.launcher_fd = fd;
	lease.leads = true;
	callers_close(&lease.callers);
	if (lease.has_end)
		tell_end_time();
}

static void hear_callers(const struct pollfd *p)
{
	unsigned procid = 0;
	int fd = callers_hear(&lease.callers, p, &procid);

	if (fd >= 0 && lease.o.recovery)
		claims_add(&lease.claims, fd, procid, lease.now_ms);
	else if (fd >= 0)
		let_launcher_in(fd);
}

/* For the claim of another launcher, when the centre is lost. Who hasn't met
 * the first one yet looks for it until its time is over, and claims then. */
static uint64_t wait_for_claim_ms(const struct claims *c)
{
	uint64_t begin_s = c->term == 1 ? (uint64_t)lease.o.timeout_s : 0;

	return c->lease_ms + patience_ms() + begin_s * 1000;
}

/* The launchers see a centre's loss as late as srun does, and claim then. */
static void hear_claims(void)
{
	struct claims *c = &lease.claims;
	char word = claims_run(c, lease.now_ms);

	if (word)
		hear_word(word);
	else if (c->held || c->n || !c->term)
		lease.give_up_ms = NEVER;
	else
		lease.give_up_ms = c->free_ms + wait_for_claim_ms(c);
}

/* srun may end before the last word was read. */
static void hear_the_rest(void)
{
	for (int i = 0; i < HEARD_LAST && lease.launcher_fd >= 0; i++)
		hear_launcher();
	if (hears_claims() && !lease.over)
		hear_claims();
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
	if (lease.said_told || !(lease.heard.told || lease.claims.heard.told))
		return;
	lease.said_told = true;
	if (lease.o.told)
		lease.o.told();
}

static void give_up(void)
{
	if (hears_claims() && !lease.over && lease.claims.silent)
		lease.node_lost = true;
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
	uint64_t next = lease.give_up_ms, now = lease.now_ms;
	uint64_t most = lease.claims.interval_ms;
	uint64_t due = claims_next_ms(&lease.claims);

	if (due < next)
		next = due;
	if (lease.callers.full && next > now + RETRY_MS)
		next = now + RETRY_MS;
	if (next == NEVER)
		return -1;
	next = next > now ? next - now : 0;
	return (int)(most && next > most ? most : next);
}

/* No descriptor is free, and the port isn't looked at for a while. */
static void look_again(void)
{
	if (!lease.callers.full)
		lease.retry_ms = lease.now_ms + RETRY_MS;
	else if (lease.now_ms >= lease.retry_ms)
		lease.callers.full = false;
}

/* Wait for something and deal with it; false: the thread has to end. */
static bool hear_all(void)
{
	struct pollfd p[FDS_MAX] = {
		{.fd = lease.wake_fd, .events = POLLIN},
		{.fd = lease.launcher_fd, .events = POLLIN},
	};
	unsigned n = 2;
	int rc;

	n += callers_poll(&lease.callers, p + n);
	n += claims_poll(&lease.claims, p + n);
	rc = poll(p, n, pause_ms());
	read_clock();
	if (rc < 0 || (p[0].revents && !wake_up()))
		return false;
	look_again();
	hear_callers(p + 2);
	if (p[1].revents)
		hear_launcher();
	if (hears_claims() && !lease.over)
		hear_claims();
	say_told();
	return true;
}

static void *keep(void *arg)
{
	(void)arg;
	while (hear_all())
		if (lease.now_ms >= lease.give_up_ms) {
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

static void prepare(void)
{
	const struct srun_liveness_options *o = &lease.o;

	lease.callers = (struct callers){.token = o->token,
					 .lease_s = o->lease_s,
					 .claim = hears_claims(),
					 .listen_fd = -1};
	lease.claims = (struct claims){0};
	if (hears_claims()) {
		lease.claims.interval_ms = recovery_interval_ms(o->lease_s);
		lease.claims.lease_ms = recovery_lease_ms(o->lease_s);
	}
	lease.launcher_fd = -1;
	lease.read_ms = clock_ms();
	lease.give_up_ms = NEVER;
	lease.leads = lease.headless = lease.over = lease.left_well =
		lease.node_lost = false;
	lease.heard = (struct srun_heard){0};
	lease.said_told = false;
	lease.closing = false;
	lease.has_end = false;
}

unsigned srun_liveness_open(const struct srun_liveness_options *options)
{
	unsigned port;

	if (lease.open)
		return lease.port;
	lease.o = *options;
	prepare();
	lease.launcher_fd = options->line_fd ? options->line_fd : -1;
	/* Once the thread runs, the descriptor is its own */
	port = options->line_fd ? 0 : callers_listen(&lease.callers);
	lease.open = (port || options->line_fd) && start_thread();
	lease.port = lease.open ? port : 0;
	return lease.port;
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
	lease.port = 0;
	*ret_end = (struct srun_end){
		.heard = hears_claims() ? lease.claims.heard : lease.heard,
		.node_lost = lease.node_lost,
	};
	return true;
}
