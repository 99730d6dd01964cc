/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread in srun that watches the launcher of task 0 through one TCP
 * connection. When the launcher is lost or asks for it, and srun doesn't end
 * in time, the thread makes srun abort the step or requeue the job. It is
 * started only for steps whose launchers work together.
 */
#include "spank/srun/srun_liveness.h"

#include "core/base/constant_time.h"
#include "spank/slurm/controller.h"
#include "spank/slurm/log.h"
#include "sys/socket.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

/* How long srun may take to end: when it certainly hangs, when it may hang, and
 * in addition to grace when the launcher has gone without a message. */
#define WILL_HANG_MS 1000
#define MAY_HANG_MS  12000
#define MARGIN_S     2
#define CALLERS_MAX  16
/* No descriptor was free for a connection: until the next try. */
#define RETRY_MS 1000

/* srun's exit status when no task has reported its end: 137, as if killed,
 * which is how tasks end whose slurmstepd is gone. */
#define LOST_CODE 137

/* A connection. */
struct caller {
	int fd;
	unsigned char token[TOKEN_SIZE];
	size_t n; /* bytes of the token received so far */
};

static struct {
	struct srun_liveness_options o;
	unsigned port;
	int listen_fd; /* -1 after the launcher has come */
	int wake_fd;
	pthread_t thread;
	struct caller caller[CALLERS_MAX];
	unsigned ncallers;
	struct caller launcher; /* the connection that sent the token; fd -1:
				   none yet, or it has ended */
	bool full;	 /* no descriptor is free for another connection */
	int patience_ms; /* time until the step is aborted; -1: no limit */
} lease = {.listen_fd = -1, .wake_fd = -1, .launcher.fd = -1};

/* Listen on a port of slurm.conf's SrunPortRange, starting at one derived from
 * the process id, or on any port if there is no range. */
static int listen_somewhere(void)
{
	unsigned min, max, span;
	int fd = -1;

	if (!controller_srun_ports(&min, &max))
		return socket_listen(NULL, 0, CALLERS_MAX);
	span = max - min + 1;
	for (unsigned i = 0; fd < 0 && i < span; i++)
		fd = socket_listen(NULL, min + ((unsigned)getpid() + i) % span,
				   CALLERS_MAX);
	return fd;
}

static unsigned port_of(int fd)
{
	struct sockaddr_in6 any = {0};
	socklen_t len = sizeof(any);

	/* The port is at the same place in both families */
	if (getsockname(fd, (struct sockaddr *)&any, &len) < 0)
		return 0;
	return ntohs(any.sin6_port);
}

static void drop(unsigned i)
{
	close(lease.caller[i].fd);
	lease.ncallers--;
	memmove(&lease.caller[i], &lease.caller[i + 1],
		(lease.ncallers - i) * sizeof(lease.caller[0]));
}

/* accept() has failed for want of descriptors or memory, or because a
 * connection has ended already: strangers mustn't keep the launcher out. */
static bool make_room(void)
{
	if (errno == ECONNABORTED || errno == EINTR)
		return true;
	if (!lease.ncallers)
		return false;
	drop(0);
	return true;
}

static void let_in(void)
{
	int fd = accept4(lease.listen_fd, NULL, NULL,
			 SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0) {
		lease.full = errno != EAGAIN && !make_room();
		return;
	}
	socket_keepalive(fd, lease.o.lease_s);
	if (lease.ncallers == CALLERS_MAX)
		drop(0);
	lease.caller[lease.ncallers++] = (struct caller){.fd = fd};
}

/* The launcher is there: nobody else is expected, and the token isn't taken
 * twice. */
static void stop_listening(void)
{
	close(lease.listen_fd);
	lease.listen_fd = -1;
	while (lease.ncallers)
		drop(lease.ncallers - 1);
}

/* Read the token of connection i. The first that sends the right token is the
 * launcher. */
static void hear(unsigned i)
{
	struct caller *c = &lease.caller[i];
	ssize_t n = recv(c->fd, c->token + c->n, TOKEN_SIZE - c->n, 0);

	if (n < 0 && errno == EAGAIN)
		return;
	if (n > 0)
		c->n += (size_t)n;
	if (n > 0 && c->n < TOKEN_SIZE)
		return;
	if (n > 0 && lease.launcher.fd < 0 &&
	    constant_time_equal(c->token, lease.o.token, TOKEN_SIZE) &&
	    send(c->fd, SRUN_THERE, 1, MSG_NOSIGNAL) == 1) {
		lease.launcher = *c;
		c->fd = -1;
	}
	drop(i);
}

static int patience_after(char word)
{
	if (word == *SRUN_ALL_WELL)
		return -1;
	return word == *SRUN_MAY_HANG ? MAY_HANG_MS : WILL_HANG_MS;
}

/* Read the launcher's one-letter message, or the end of its connection. */
static void hear_launcher(void)
{
	char byte;
	ssize_t n = recv(lease.launcher.fd, &byte, 1, 0);

	if (n < 0 && errno == EAGAIN)
		return;
	if (n > 0)
		lease.patience_ms = patience_after(byte);
	else
		lease.patience_ms = (int)(lease.o.grace_s + MARGIN_S) * 1000;
	if (lease.o.requeue_job &&
	    (n > 0 ? byte == *SRUN_REQUEUE : n < 0 && errno == ETIMEDOUT))
		controller_requeue(lease.o.requeue_job);
	close(lease.launcher.fd);
	lease.launcher.fd = -1;
}

static void give_up(void)
{
	log_line("srun aborts the step: it isn't told that all tasks have "
		 "ended; their node or slurmstepd may be gone");
	controller_give_up(LOST_CODE);
}

/* poll() for all connections there are; the result is poll()'s. */
static int wait_for_any(struct pollfd p[CALLERS_MAX + 3])
{
	const int fd[] = {lease.wake_fd, lease.full ? -1 : lease.listen_fd,
			  lease.launcher.fd};
	unsigned n = 0;

	for (; n < 3; n++)
		p[n] = (struct pollfd){.fd = fd[n], .events = POLLIN};
	for (unsigned i = 0; i < lease.ncallers; i++)
		p[n++] = (struct pollfd){.fd = lease.caller[i].fd,
					 .events = POLLIN};
	return poll(p, n, lease.full ? RETRY_MS : lease.patience_ms);
}

static void *keep(void *arg)
{
	struct pollfd p[CALLERS_MAX + 3];

	(void)arg;
	lease.patience_ms = -1;
	for (;;) {
		int rc = wait_for_any(p);

		if (rc == 0 && !lease.full) {
			give_up();
			return NULL;
		}
		if (rc < 0 || p[0].revents)
			return NULL;
		lease.full = lease.full && rc != 0;
		for (unsigned i = lease.ncallers; i-- > 0;)
			if (p[3 + i].revents)
				hear(i);
		if (p[2].revents)
			hear_launcher();
		if (p[1].revents)
			let_in();
		if (lease.launcher.fd >= 0 && lease.listen_fd >= 0)
			stop_listening();
	}
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

unsigned srun_liveness_open(const struct srun_liveness_options *options)
{
	unsigned port;

	if (lease.port)
		return lease.port;
	lease.o = *options;
	lease.listen_fd = listen_somewhere();
	/* Once the thread runs, the descriptor is its own */
	port = port_of(lease.listen_fd);
	if (port && start_thread())
		lease.port = port;
	return lease.port;
}

void srun_liveness_close(void)
{
	uint64_t one = 1;

	if (!lease.port)
		return;
	if (write(lease.wake_fd, &one, sizeof(one)) == sizeof(one))
		pthread_join(lease.thread, NULL);
	lease.port = 0;
}
