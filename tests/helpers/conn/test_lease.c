/* SPDX-License-Identifier: Apache-2.0 */
/* An outage that is shorter than the lease, on a network of the test's own: of
 * an idle conn, of one with data on the way, and of one whose other end is
 * stopped and has no room. None of them is lost. */
#include "tests/fixtures/channel_fixture.h"

#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define LEASE_S	  5
#define OUTAGE_MS 4200
#define FULL_MS	  4000 /* beyond the outage: more than a lease in all */
#define MUCH	  (16 << 20)

static struct secure_conn_step short_step;

static void set_network(bool up)
{
	struct ifreq lo = {.ifr_name = "lo",
			   .ifr_flags = up ? IFF_UP | IFF_RUNNING : 0};
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	assert_int_equal(ioctl(fd, SIOCSIFFLAGS, &lo), 0);
	close(fd);
}

static int own_network(void **state)
{
	short_step = step;
	short_step.lease_s = LEASE_S;
	if (open_loop(state) < 0 || (unshare(CLONE_NEWNET) < 0 &&
				     unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0))
		return -1;
	set_network(true);
	return 0;
}

/* Two connected sockets. */
static void by_tcp(int fds[2])
{
	int listening = socket_listen(NULL, 0, 1);
	struct sockaddr_in6 at;
	socklen_t len = sizeof(at);

	assert_int_equal(getsockname(listening, (struct sockaddr *)&at, &len),
			 0);
	fds[0] = socket_connect("127.0.0.1", ntohs(at.sin6_port));
	assert_true(fds[0] >= 0);
	fds[1] = accept4(listening, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	assert_true(fds[1] >= 0);
	close(listening);
}

static void pair(struct end *a, struct end *b)
{
	int fds[2];

	by_tcp(fds);
	end_open_step(a, fds[0], true, &short_step);
	end_open_step(b, fds[1], false, &short_step);
	run_until(&a->opened);
	run_until(&b->opened);
}

/* Its end of a conn in a process that is stopped as soon as it is open; it ends
 * with 0 when it has got one message. */
static pid_t stopped_peer(struct end *a)
{
	struct end b;
	int fds[2], status;
	pid_t pid;

	by_tcp(fds);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(fds[0]);
		loop_close(&loop);
		open_loop(NULL);
		end_open_step(&b, fds[1], false, &short_step);
		run_until(&b.opened);
		raise(SIGSTOP);
		run_until(&b.got);
		_exit(b.nlast == MUCH ? 0 : 1);
	}
	close(fds[1]);
	end_open_step(a, fds[0], true, &short_step);
	run_until(&a->opened);
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status));
	return pid;
}

static void send_much(struct end *a)
{
	char *much = calloc(1, MUCH);

	assert_non_null(much);
	end_send(a, 'm', much, MUCH);
	free(much);
}

/* On a machine that is that busy, it says nothing. */
static bool outage_was_short(struct end *sender)
{
	uint64_t since = loop_now_ms();
	bool in_time;

	set_network(false);
	end_send(sender, 'x', "on the way", 10);
	run_for(OUTAGE_MS);
	set_network(true);
	in_time = loop_now_ms() - since < LEASE_S * 1000;
	if (!in_time)
		print_message("the outage took longer than the lease\n");
	return in_time;
}

static void outage(void **state)
{
	struct end idle[2], busy[2], full;
	pid_t pid = stopped_peer(&full);
	bool in_time;
	int status;

	(void)state;
	pair(&idle[0], &idle[1]);
	pair(&busy[0], &busy[1]);
	send_much(&full);
	run_for(LEASE_S * 1000 / 3); /* the next question is due */
	in_time = outage_was_short(&busy[0]);
	if (in_time)
		run_until(&busy[1].got);
	run_for(FULL_MS);
	if (in_time) {
		assert_false(idle[0].lost || idle[1].lost);
		assert_false(busy[0].lost || busy[1].lost || full.lost);
		end_send(&idle[0], 'y', "", 0);
		run_until(&idle[1].got);
		kill(pid, SIGCONT);
		while (!secure_conn_is_idle(full.conn))
			run_for(10);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	} else {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	end_close(&full);
	for (int i = 0; i < 2; i++) {
		end_close(&idle[i]);
		end_close(&busy[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(outage),
	};

	if (own_network(NULL) < 0) {
		fprintf(stderr, "no network namespace: %s\n", strerror(errno));
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, shut_loop);
}
