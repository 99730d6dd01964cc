/* SPDX-License-Identifier: Apache-2.0 */
/* On the host: one srun to all nodes, and the talk with them. */
#include "helpers/cli/doctor/doctor.h"

#include "core/base/cleanup.h"
#include "sys/loop.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CLOCK_ROUNDS 5
#define ROUND_MS     2000
#define LINE_SIZE    4096

struct clock_of_node {
	long long offset_us, bound_us; /* bound -1: not asked */
};

struct talk {
	struct subprocess srun;
	struct loop loop;	    /* runs until what is waited for is there */
	struct loop_watch writable; /* srun takes more */
	struct loop_timer late;
	struct doctor *doctor;
	struct clock_of_node *clock;
	uint64_t deadline_ms;
	long long asked_us; /* the round of clocks that is on */
	int round;
	unsigned port;	    /* where the first node listens; 0 */
	const char *wanted; /* facts of this key are counted in `got` */
	unsigned got, enough;
	unsigned ngone; /* nodes whose process has ended before it was ready */
	bool ended;	/* srun has nothing more to say */
	char buf[LINE_SIZE];
	size_t used;
};

static long long now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (long long)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* A node's clock lies between the question and the answer. */
static void note_clock(struct talk *t, const struct doctor_fact *f)
{
	struct clock_of_node *c = &t->clock[f->node];
	long long there, here = now_us(), bound;
	int round;

	if (sscanf(f->text, "%d %lld", &round, &there) != 2 ||
	    round != t->round)
		return;
	bound = (here - t->asked_us + 1) / 2;
	if (c->bound_us >= 0 && bound >= c->bound_us)
		return;
	c->bound_us = bound;
	c->offset_us = there - (t->asked_us + here) / 2;
}

/* srun's own words, and those of a node that can't start us: nobody waits for
 * it. */
static void note_other(struct talk *t, const char *line)
{
	t->ngone += doctor_srun_gone(t->doctor, line);
	fprintf(stderr, "%s\n", line);
	if (!strcmp(t->wanted, "ready") && t->enough &&
	    t->got + t->ngone >= t->enough)
		loop_stop(&t->loop);
}

static void note_line(struct talk *t, const char *line)
{
	const struct doctor_fact *f;

	if (!doctor_add_line(t->doctor, line)) {
		note_other(t, line);
		return;
	}
	f = &t->doctor->fact[t->doctor->nfacts - 1];
	if (!strcmp(f->key, "clocked"))
		note_clock(t, f);
	else if (!strcmp(f->key, "listening"))
		t->port = (unsigned)atoi(f->text);
	if (!strcmp(f->key, t->wanted) &&
	    ++t->got + (strcmp(f->key, "ready") ? 0 : t->ngone) == t->enough)
		loop_stop(&t->loop);
}

static void split_lines(struct talk *t)
{
	char *start = t->buf, *end;

	t->buf[t->used] = '\0';
	while ((end = strchr(start, '\n'))) {
		*end = '\0';
		note_line(t, start);
		start = end + 1;
	}
	t->used -= (size_t)(start - t->buf);
	memmove(t->buf, start, t->used);
	if (t->used == sizeof(t->buf) - 1)
		t->used = 0; /* no line of ours */
}

static void on_output(void *arg, const char *data, size_t n)
{
	struct talk *t = arg;

	if (!n) {
		t->ended = true;
		loop_stop(&t->loop);
	}
	while (n) {
		size_t room = sizeof(t->buf) - 1 - t->used;
		size_t some = n < room ? n : room;

		memcpy(t->buf + t->used, data, some);
		t->used += some;
		data += some;
		n -= some;
		split_lines(t);
	}
}

static void stop_waiting(void *arg)
{
	struct talk *t = arg;

	loop_stop(&t->loop);
}

static void on_writable(void *arg, uint32_t events)
{
	(void)events;
	stop_waiting(arg);
}

static uint64_t left_ms(const struct talk *t)
{
	uint64_t now = loop_now_ms();

	return t->deadline_ms > now ? t->deadline_ms - now : 0;
}

/* Run the loop until somebody stops it, at most so long. */
static void run_loop(struct talk *t, uint64_t limit_ms)
{
	struct err err;

	loop_arm(&t->loop, &t->late,
		 limit_ms < left_ms(t) ? limit_ms : left_ms(t));
	if (loop_run(&t->loop, &err) < 0)
		t->ended = true;
	loop_disarm(&t->loop, &t->late);
}

void talk_wait(struct talk *t, unsigned n, uint64_t limit_ms)
{
	t->enough = n;
	if (t->got < n && !t->ended)
		run_loop(t, limit_ms);
	t->enough = 0;
}

void talk_want(struct talk *t, const char *key)
{
	t->wanted = key;
	t->got = 0;
}

/* srun takes no more than the nodes read, and they don't read while nobody
 * takes what they say: so that is done meanwhile. */
static void send_all(struct talk *t, const char *text, size_t len)
{
	struct err err;

	while (len && !t->ended) {
		ssize_t n = write(t->srun.in, text, len);

		if (n > 0) {
			text += n;
			len -= (size_t)n;
		} else if (errno != EAGAIN || !left_ms(t) ||
			   loop_watch(&t->loop, &t->writable, EPOLLOUT, &err) <
				   0) {
			t->ended = true;
		} else {
			run_loop(t, left_ms(t));
			loop_remove(&t->loop, &t->writable);
		}
	}
}

void talk_say(struct talk *t, const char *fmt, ...)
{
	cleanup_free char *line = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&line, fmt, ap);
	va_end(ap);
	if (n > 0)
		send_all(t, line, (size_t)n);
}

static void ask_clocks(struct talk *t, unsigned n)
{
	char line[LINE_SIZE];

	for (t->round = 1; t->round <= CLOCK_ROUNDS; t->round++) {
		talk_want(t, "clocked");
		t->asked_us = now_us();
		talk_say(t, "clock %d\n", t->round);
		talk_wait(t, n, ROUND_MS);
	}
	for (unsigned i = 0; i < t->doctor->nnodes; i++) {
		if (t->clock[i].bound_us < 0)
			continue;
		snprintf(line, sizeof(line), DOCTOR_MARK " %s clock %lld %lld",
			 t->doctor->node[i], t->clock[i].offset_us,
			 t->clock[i].bound_us);
		doctor_add_line(t->doctor, line);
	}
}

static void ask_munge(struct talk *t, unsigned n)
{
	cleanup_free char *credential = doctor_munge_make();

	if (!credential)
		return;
	talk_want(t, "munge");
	talk_say(t, "munge %s\n", credential);
	talk_wait(t, n, 2 * DOCTOR_CALL_MS);
}

/* All others talk to the first node, by the address that they have found: on
 * itself its name may be a loopback address. */
static void ask_reach(struct talk *t, unsigned n)
{
	const char *found = NULL;
	char addr[64];

	for (unsigned i = 1; i < t->doctor->nnodes && !found; i++)
		found = doctor_fact(t->doctor, i, "first");
	if (!found || sscanf(found, "%*s %63s", addr) != 1 || n < 2 ||
	    !strcmp(addr, "-"))
		return;
	talk_want(t, "listening");
	talk_say(t, "listen %s %s\n", t->doctor->node[0], addr);
	talk_wait(t, 1, DOCTOR_CALL_MS);
	if (!t->port)
		return;
	talk_want(t, "reach");
	talk_say(t, "reach %s %s %u\n", t->doctor->node[0], addr, t->port);
	talk_wait(t, n - 1, 3 * DOCTOR_CALL_MS);
}

/* The IPv4 address of a node's NPU. */
static bool npu_address(const struct doctor *d, unsigned node, unsigned id,
			char addr[64])
{
	unsigned found;

	for (size_t i = 0; i < d->nfacts; i++)
		if (d->fact[i].node == node && !strcmp(d->fact[i].key, "npu") &&
		    sscanf(d->fact[i].text, "%u %63s", &found, addr) == 2 &&
		    found == id)
			return strchr(addr, '.') != NULL;
	return false;
}

/* Each NPU asks for that of its index on the next node. */
static void ask_pings(struct talk *t)
{
	const struct doctor *d = t->doctor;
	unsigned asked = 0, id;
	size_t n = d->nfacts;
	char addr[64];

	talk_want(t, "ping");
	for (size_t i = 0; d->nnodes > 1 && i < n; i++) {
		unsigned node = d->fact[i].node;

		if (strcmp(d->fact[i].key, "npu") != 0 ||
		    sscanf(d->fact[i].text, "%u", &id) != 1 ||
		    !doctor_fact(d, node, "ready") ||
		    !npu_address(d, (node + 1) % d->nnodes, id, addr))
			continue;
		talk_say(t, "ping %s %u %s\n", d->node[node], id, addr);
		asked++;
	}
	/* Time for their last words has to stay */
	talk_wait(t, asked, left_ms(t) > ROUND_MS ? left_ms(t) - ROUND_MS : 0);
}

static void talk(struct talk *t, const struct doctor_options *o)
{
	unsigned n;

	talk_want(t, "ready");
	talk_wait(t, t->doctor->nnodes, o->timeout_s * 667UL);
	n = t->got;
	if (n) {
		ask_clocks(t, n);
		ask_munge(t, n);
		ask_reach(t, n);
		if (o->pairs)
			doctor_ask_pairs(t, t->doctor);
		ask_pings(t);
	}
	talk_want(t, "done");
	talk_say(t, "end\n");
	talk_wait(t, n, left_ms(t));
}

/* srun, and what waits for its output and for its input to take more. */
static int open_talk(struct talk *t, const struct doctor_options *o,
		     const char *nodes, struct err *err)
{
	t->late = (struct loop_timer){.expired = stop_waiting, .arg = t};
	if (loop_open(&t->loop, err) < 0 ||
	    doctor_srun_start(o, nodes, t->doctor, &t->srun, err) < 0)
		return -1;
	t->writable = (struct loop_watch){
		.fd = t->srun.in,
		.ready = on_writable,
		.arg = t,
	};
	return subprocess_watch(&t->srun, &t->loop, on_output, t, err);
}

int doctor_ask(const struct doctor_options *o, const char *nodes,
	       struct doctor *doctor, struct err *err)
{
	unsigned n = doctor->nnodes;
	cleanup_free struct clock_of_node *clock = calloc(n, sizeof(*clock));
	struct talk t = {
		.doctor = doctor,
		.clock = clock,
		.deadline_ms = loop_now_ms() + o->timeout_s * 1000UL,
		.wanted = "",
	};
	int rc;

	if (!clock)
		return err_memory(err);
	for (unsigned i = 0; i < n; i++)
		clock[i].bound_us = -1;
	signal(SIGPIPE, SIG_IGN);
	rc = open_talk(&t, o, nodes, err);
	if (rc == 0)
		talk(&t, o);
	if (t.srun.pid)
		doctor_srun_end(&t.srun);
	loop_close(&t.loop);
	return rc;
}
