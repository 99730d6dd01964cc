/* SPDX-License-Identifier: Apache-2.0 */
/* Two ends that talk through a relay, in one process, over loopback. */
#include "helpers/channel/relay.h"

#include "tests/fixtures/channel_fixture.h"

#include <malloc.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#define GREETING  200 /* the controller says more to whom it knows alone */
#define STRANGERS 300 /* more than a relay has places for */
#define MUCH	  (8U << 20)

static struct relay *relay;
static unsigned far_port, near_port;
static int far_fd; /* listens */

/* --- an end --- */

struct talker {
	struct loop_watch watch;
	const char *out; /* to be said */
	size_t nout;
	char *in;
	size_t nin, room;
	bool last, deaf, over, broken;
};

static void want(struct talker *t)
{
	uint32_t events =
		(t->deaf || t->over ? 0U : EPOLLIN) | (t->nout ? EPOLLOUT : 0U);
	struct err err;

	assert_int_equal(loop_watch(&loop, &t->watch, events, &err), 0);
}

static void hear(struct talker *t)
{
	ssize_t n;

	if (t->room < t->nin + 65536) {
		t->room = 2 * t->nin + 65536;
		t->in = realloc(t->in, t->room);
	}
	assert_non_null(t->in);
	n = recv(t->watch.fd, t->in + t->nin, 65536, 0);
	if (n > 0)
		t->nin += (size_t)n;
	t->over = t->over || !n;
}

static void talk(struct talker *t)
{
	ssize_t n = send(t->watch.fd, t->out, t->nout, MSG_NOSIGNAL);

	if (n <= 0)
		return;
	t->out += n;
	t->nout -= (size_t)n;
	if (!t->nout && t->last)
		shutdown(t->watch.fd, SHUT_WR);
}

static void on_ready(void *arg, uint32_t events)
{
	struct talker *t = arg;

	if (events & EPOLLERR) {
		t->broken = t->over = true;
		loop_remove(&loop, &t->watch);
		return;
	}
	if (events & EPOLLIN)
		hear(t);
	if (events & EPOLLOUT && t->nout)
		talk(t);
	want(t);
}

static void begin_at(struct talker *t, int fd)
{
	assert_true(fd >= 0);
	*t = (struct talker){.watch = {.fd = fd, .ready = on_ready, .arg = t}};
	want(t);
}

static void end(struct talker *t)
{
	loop_remove(&loop, &t->watch);
	close(t->watch.fd);
	free(t->in);
	*t = (struct talker){.watch.fd = -1};
}

static void say(struct talker *t, const char *text, size_t n)
{
	t->out = text;
	t->nout = n;
	want(t);
}

static bool is_over(const void *arg)
{
	return ((const struct talker *)arg)->over;
}

static size_t awaited_bytes;

static bool has_heard(const void *arg)
{
	return ((const struct talker *)arg)->nin >= awaited_bytes;
}

static void hears(struct talker *t, const char *text, size_t n)
{
	awaited_bytes = n;
	run_until_so(has_heard, t);
	assert_int_equal(t->nin, n);
	assert_memory_equal(t->in, text, n);
	t->nin = 0;
}

/* --- both --- */

static unsigned port_of(int fd)
{
	struct sockaddr_in sa;
	socklen_t size = sizeof(sa);

	assert_int_equal(getsockname(fd, (struct sockaddr *)&sa, &size), 0);
	return ntohs(sa.sin_port);
}

/* Somebody has the first one. */
static unsigned port_to_try(const void *arg, unsigned try)
{
	(void)arg;
	near_port = try < 8 ? far_port +
	try:
		0;
	return near_port;
}

static int open_relay(void **state)
{
	struct relay_options o = {
		.loop = &loop,
		.ip = "127.0.0.1",
		.port = port_to_try,
		.to_ip = "127.0.0.1",
		.lease_s = 15,
	};

	open_loop(state);
	far_fd = socket_listen("127.0.0.1", 0, SOMAXCONN);
	far_port = o.to_port = port_of(far_fd);
	relay = relay_open(&o);
	assert_non_null(relay);
	return 0;
}

static int shut_relay(void **state)
{
	relay_close(relay);
	close(far_fd);
	return shut_loop(state);
}

static int call(void)
{
	int fd = socket_connect("127.0.0.1", near_port);

	assert_true(fd >= 0);
	return fd;
}

static int accepted;

static void on_come(void *arg, uint32_t events)
{
	(void)arg;
	(void)events;
	accepted = accept4(far_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

static bool has_come(const void *arg)
{
	(void)arg;
	return accepted >= 0;
}

/* Who comes to the far end next. */
static int answer(void)
{
	struct loop_watch door = {.fd = far_fd, .ready = on_come};
	struct err err;

	accepted = -1;
	assert_int_equal(loop_watch(&loop, &door, EPOLLIN, &err), 0);
	run_until_so(has_come, NULL);
	loop_remove(&loop, &door);
	return accepted;
}

static void connect_both(struct talker *near, struct talker *far)
{
	begin_at(near, call());
	begin_at(far, answer());
}

/* Of `n` bytes that are told from each other. */
static char *long_text(size_t n)
{
	char *text = malloc(n);

	assert_non_null(text);
	for (size_t i = 0; i < n; i++)
		text[i] = (char)(i * 7 + i / 251);
	return text;
}

/* --- tests --- */

static void both_ways(void **state)
{
	char *text = long_text(MUCH);
	struct talker near, far;

	(void)state;
	connect_both(&near, &far);
	say(&near, text, MUCH);
	say(&far, text + 1, MUCH - 1);
	hears(&far, text, MUCH);
	hears(&near, text + 1, MUCH - 1);
	end(&near);
	run_until_so(is_over, &far);
	end(&far);
	free(text);
}

/* What is said before the far end is reached isn't lost. */
static void said_early(void **state)
{
	struct talker near, far;

	(void)state;
	begin_at(&near, call());
	say(&near, "early", 5);
	begin_at(&far, answer());
	hears(&far, "early", 5);
	end(&near);
	end(&far);
}

/* Who has said all may be told much all the same. */
static void half_closed(void **state)
{
	char *text = long_text(MUCH);
	struct talker near, far;

	(void)state;
	connect_both(&near, &far);
	near.last = true;
	say(&near, "all", 3);
	hears(&far, "all", 3);
	run_until_so(is_over, &far);
	assert_false(near.over);
	far.last = true;
	say(&far, text, MUCH);
	hears(&near, text, MUCH);
	run_until_so(is_over, &near);
	assert_false(near.broken || far.broken);
	end(&near);
	end(&far);
	free(text);
}

/* The last words of one that has ended arrive. */
static void last_words(void **state)
{
	char *text = long_text(100000);
	struct talker near, far;

	(void)state;
	connect_both(&near, &far);
	near.deaf = true;
	want(&near);
	far.last = true;
	say(&far, text, 100000);
	run_for(200);
	end(&far);
	near.deaf = false;
	want(&near);
	hears(&near, text, 100000);
	run_until_so(is_over, &near);
	end(&near);
	free(text);
}

static void nobody_there(void **state)
{
	struct talker near;

	(void)state;
	close(far_fd);
	begin_at(&near, call());
	run_until_so(is_over, &near);
	end(&near);
	far_fd = socket_listen("127.0.0.1", far_port, SOMAXCONN);
	assert_true(far_fd >= 0);
}

static unsigned nrounds;

static void count_round(void *arg)
{
	(void)arg;
	nrounds++;
}

/* What one end says and the other one doesn't read is left in the kernel, and
 * waited for. */
static void slow_reader(void **state)
{
	size_t n = 64U << 20, left, before;
	char *text = long_text(n);
	struct talker near, far;

	(void)state;
	connect_both(&near, &far);
	far.deaf = true;
	want(&far);
	before = mallinfo2().uordblks + mallinfo2().hblkhd;
	say(&near, text, n);
	do {
		left = near.nout;
		run_for(100);
	} while (near.nout < left);
	assert_true(left > n / 2);
	nrounds = 0;
	loop.after_round = count_round;
	run_for(100);
	loop.after_round = NULL;
	assert_in_range(nrounds, 1, 10);
	assert_true(mallinfo2().uordblks + mallinfo2().hblkhd < before + 65536);
	far.deaf = false;
	want(&far);
	hears(&far, text, n);
	end(&near);
	end(&far);
	free(text);
}

/* --- strangers --- */

static void many_files(void)
{
	struct rlimit r;

	getrlimit(RLIMIT_NOFILE, &r);
	r.rlim_cur = r.rlim_max;
	setrlimit(RLIMIT_NOFILE, &r);
}

/* Whom the controller has let in stays; of the others the newest do. */
static void many_strangers(void **state)
{
	char *text = long_text(GREETING);
	static struct talker stranger[STRANGERS], there[STRANGERS];
	struct talker near, far;

	(void)state;
	many_files();
	connect_both(&near, &far);
	say(&far, text, GREETING);
	hears(&near, text, GREETING);
	for (unsigned i = 0; i < STRANGERS; i++)
		connect_both(&stranger[i], &there[i]);
	run_until_so(is_over, &stranger[0]);
	assert_true(there[0].over);
	assert_false(stranger[STRANGERS - 1].over);
	say(&stranger[STRANGERS - 1], "hello", 5);
	hears(&there[STRANGERS - 1], "hello", 5);
	assert_false(near.over || far.over);
	say(&near, "still", 5);
	hears(&far, "still", 5);
	for (unsigned i = 0; i < STRANGERS; i++) {
		end(&stranger[i]);
		end(&there[i]);
	}
	end(&near);
	end(&far);
	free(text);
}

/* A step of many nodes: no launcher has to go. */
static void many_launchers(void **state)
{
	static struct talker launcher[STRANGERS], there[STRANGERS];
	char *text = long_text(GREETING);

	(void)state;
	many_files();
	for (unsigned i = 0; i < STRANGERS; i++) {
		connect_both(&launcher[i], &there[i]);
		say(&there[i], text, GREETING);
		hears(&launcher[i], text, GREETING);
	}
	for (unsigned i = 0; i < STRANGERS; i++)
		assert_false(launcher[i].over || there[i].over);
	for (unsigned i = 0; i < STRANGERS; i++) {
		end(&launcher[i]);
		end(&there[i]);
	}
	free(text);
}

/* Who has been answered and stays is a stranger. */
static void answered_strangers(void **state)
{
	static struct talker stranger[STRANGERS];
	char *text = long_text(GREETING);
	struct talker far;

	(void)state;
	many_files();
	for (unsigned i = 0; i < STRANGERS; i++) {
		connect_both(&stranger[i], &far);
		far.last = true;
		say(&far, text, GREETING);
		hears(&stranger[i], text, GREETING);
		end(&far);
	}
	run_until_so(is_over, &stranger[0]);
	/* Each is told that it was all, the first ones are dropped, too */
	stranger[0].last = true;
	say(&stranger[0], "more", 4);
	run_for(100);
	assert_true(stranger[0].broken);
	assert_false(stranger[STRANGERS - 1].broken);
	for (unsigned i = 0; i < STRANGERS; i++)
		end(&stranger[i]);
	free(text);
}

/* Who calls then waits, without a storm, until somebody has gone. */
static void no_descriptors_left(void **state)
{
	char *text = long_text(GREETING);
	struct talker near, far, other;
	struct rlimit r, none;

	(void)state;
	connect_both(&near, &far);
	say(&far, text, GREETING);
	hears(&near, text, GREETING);
	begin_at(&other, call());
	getrlimit(RLIMIT_NOFILE, &r);
	none = r;
	none.rlim_cur = (rlim_t)other.watch.fd + 1;
	setrlimit(RLIMIT_NOFILE, &none);
	nrounds = 0;
	loop.after_round = count_round;
	run_for(300);
	loop.after_round = NULL;
	setrlimit(RLIMIT_NOFILE, &r);
	assert_in_range(nrounds, 1, 10);
	assert_false(near.over || other.over);
	end(&near);
	end(&far);
	begin_at(&far, answer());
	say(&other, "at last", 7);
	hears(&far, "at last", 7);
	end(&other);
	end(&far);
	free(text);
}

/* One that is closed leaves nothing. */
static void closed_with_pairs(void **state)
{
	struct talker near, far;

	connect_both(&near, &far);
	relay_close(relay);
	relay = NULL;
	run_until_so(is_over, &near);
	run_until_so(is_over, &far);
	end(&near);
	end(&far);
	(void)state;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_relay, shut_relay)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(both_ways),	  TEST(said_early),
		TEST(half_closed),	  TEST(last_words),
		TEST(nobody_there),	  TEST(slow_reader),
		TEST(many_strangers),	  TEST(many_launchers),
		TEST(answered_strangers), TEST(no_descriptors_left),
		TEST(closed_with_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
