/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/loop.h"

#include "tests/fixtures/unit.h"

#include <unistd.h>

/* Two pipes that are ready in the same round. */
struct pair {
	struct loop loop;
	struct loop_watch watch[2];
	unsigned called, rounds;
	int on_first; /* what the first callback does to the other watch */
};

enum { NOTHING, REMOVE, ONLY_ERRORS, STOP };

static void ready(void *arg, uint32_t events)
{
	struct pair *p = arg;
	struct err err;

	assert_true(events & EPOLLIN);
	if (p->called++)
		return;
	for (int i = 0; i < 2; i++) {
		if (p->on_first == REMOVE)
			loop_remove(&p->loop, &p->watch[i]);
		if (p->on_first == ONLY_ERRORS)
			loop_watch(&p->loop, &p->watch[i], 0, &err);
	}
	if (p->on_first == STOP)
		loop_stop(&p->loop);
}

static void count_round(void *arg)
{
	struct pair *p = arg;

	p->rounds++;
	loop_stop(&p->loop);
}

/* How often one round has called back. */
static unsigned calls(int on_first)
{
	struct pair p = {.on_first = on_first};
	int ends[2][2];
	struct err err;

	assert_int_equal(loop_open(&p.loop, &err), 0);
	p.loop.after_round = count_round;
	p.loop.arg = &p;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(pipe(ends[i]), 0);
		assert_int_equal(write(ends[i][1], "x", 1), 1);
		p.watch[i] = (struct loop_watch){
			.fd = ends[i][0], .ready = ready, .arg = &p};
		assert_int_equal(
			loop_watch(&p.loop, &p.watch[i], EPOLLIN, &err), 0);
	}
	assert_int_equal(loop_run(&p.loop, &err), 0);
	assert_int_equal(p.rounds, 1);
	for (int i = 0; i < 2; i++) {
		loop_remove(&p.loop, &p.watch[i]);
		close(ends[i][0]);
		close(ends[i][1]);
	}
	loop_close(&p.loop);
	return p.called;
}

static void callbacks_may_change_other_watches(void **state)
{
	(void)state;
	assert_int_equal(calls(NOTHING), 2);
	assert_int_equal(calls(REMOVE), 1);
	assert_int_equal(calls(ONLY_ERRORS), 1);
	assert_int_equal(calls(STOP), 1);
}

/* What it knows already, the kernel isn't told again. */
static void the_same_events_cost_nothing(void **state)
{
	struct loop_watch watch = {.ready = ready};
	struct loop loop;
	struct err err;
	int ends[2], kernel;

	(void)state;
	assert_int_equal(loop_open(&loop, &err), 0);
	assert_int_equal(pipe(ends), 0);
	watch.fd = ends[0];
	assert_int_equal(loop_watch(&loop, &watch, EPOLLIN, &err), 0);
	kernel = loop.epoll_fd;
	loop.epoll_fd = -1;
	assert_int_equal(loop_watch(&loop, &watch, EPOLLIN, &err), 0);
	assert_int_equal(loop_watch(&loop, &watch, 0, &err), -1);
	loop.epoll_fd = kernel;
	loop_remove(&loop, &watch);
	assert_int_equal(loop_watch(&loop, &watch, EPOLLIN, &err), 0);
	loop_remove(&loop, &watch);
	close(ends[0]);
	close(ends[1]);
	loop_close(&loop);
}

struct order {
	struct loop *loop;
	struct loop_timer timer[3];
	char text[4];
};

static void expired(void *arg)
{
	struct order *o = arg;
	size_t n = strlen(o->text);

	for (int i = 0; i < 3; i++)
		if (!o->timer[i].armed && !strchr(o->text, '0' + i))
			o->text[n] = (char)('0' + i);
	if (n == 1)
		loop_stop(o->loop);
}

static void timers_in_their_order(void **state)
{
	struct loop loop;
	struct order o = {.loop = &loop};
	struct err err;

	(void)state;
	assert_int_equal(loop_open(&loop, &err), 0);
	for (int i = 0; i < 3; i++) {
		o.timer[i] = (struct loop_timer){.expired = expired, .arg = &o};
		loop_arm(&loop, &o.timer[i], (uint64_t)(30 - 10 * i));
	}
	loop_arm(&loop, &o.timer[0], 60000);
	assert_int_equal(loop_run(&loop, &err), 0);
	assert_string_equal(o.text, "21");
	loop_disarm(&loop, &o.timer[0]);
	assert_null(loop.timers.first);
	loop_close(&loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(callbacks_may_change_other_watches),
		cmocka_unit_test(the_same_events_cost_nothing),
		cmocka_unit_test(timers_in_their_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
