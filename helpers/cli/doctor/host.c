/* SPDX-License-Identifier: Apache-2.0 */
/* On the host: one srun to all nodes, and the talk with them. */
#include "helpers/auth/sack.h"

#include "helpers/check/pair_talk.h"
#include "helpers/cli/doctor/all_reduce.h"
#include "sys/loop.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#define ANSWER_MS    (PAIR_MS + 4000) /* with a poor network, too */
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

static void talk_wait(struct talk *t, unsigned n, uint64_t limit_ms)
{
	t->enough = n;
	if (t->got < n && !t->ended)
		run_loop(t, limit_ms);
	t->enough = 0;
}

static void talk_want(struct talk *t, const char *key)
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

__attribute__((format(printf, 2, 3))) static void talk_say(struct talk *t,
							   const char *fmt, ...)
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
	char fact[64];

	for (t->round = 1; t->round <= CLOCK_ROUNDS; t->round++) {
		talk_want(t, "clocked");
		t->asked_us = now_us();
		talk_say(t, "clock %d\n", t->round);
		talk_wait(t, n, ROUND_MS);
	}
	for (unsigned i = 0; i < t->doctor->nnodes; i++) {
		if (t->clock[i].bound_us < 0)
			continue;
		snprintf(fact, sizeof(fact), "clock %lld %lld",
			 t->clock[i].offset_us, t->clock[i].bound_us);
		doctor_add_fact(t->doctor, i, fact);
	}
}

static void ask_munge(struct talk *t, unsigned n)
{
	struct err err;
	cleanup_free char *credential = doctor_munge_make(&err);

	if (!credential)
		return;
	talk_want(t, "munge");
	talk_say(t, "munge %s\n", credential);
	talk_wait(t, n, 3 * DOCTOR_CALL_MS);
}

/* The same by the cluster's own authentication. That this host gets no token is
 * the first node's finding: there is none of hosts. */
static void ask_token(struct talk *t, const struct auth *auth, unsigned n)
{
	char token[SACK_TOKEN_MAX], fact[sizeof(((struct err *)0)->text) + 64];
	struct err err;

	if (token_once_make(auth, token, &err) < 0) {
		snprintf(fact, sizeof(fact), "token on this host: %s",
			 err.text);
		doctor_add_fact(t->doctor, 0, fact);
		return;
	}
	talk_want(t, "token");
	talk_say(t, "token %u %s %s\n", (unsigned)auth->slurm_user,
		 auth->cluster, token);
	talk_wait(t, n, SACK_LIMIT_MS + DOCTOR_CALL_MS);
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

/* --- pairs of nodes measure their network, as check=full lets them do it
 * before a start --- */

/* 64 digits, in hexadecimal; false: the kernel gives none. */
static bool make_word(char ret[PAIR_WORD_SIZE + 1])
{
	unsigned char byte[PAIR_WORD_SIZE / 2];

	if (getrandom(byte, sizeof(byte), 0) != sizeof(byte))
		return false;
	for (size_t i = 0; i < sizeof(byte); i++)
		snprintf(ret + 2 * i, 3, "%02x", byte[i]);
	return true;
}

/* The first node's is that which the others have found. */
static bool find_door(const struct doctor *d, unsigned node, char addr[64],
		      unsigned *port)
{
	const char *door = doctor_fact(d, node, "door"), *found = NULL;

	if (!door || sscanf(door, "%63s %u", addr, port) != 2)
		return false;
	for (unsigned i = 1; i < d->nnodes && !found; i++)
		found = doctor_fact(d, i, "first");
	return strcmp(addr, "-") != 0 ||
	       (found && sscanf(found, "%*s %63s", addr) == 1);
}

static void say_meet(struct talk *t, const struct doctor *d, unsigned round,
		     const struct pair *p)
{
	char addr[64], word[PAIR_WORD_SIZE + 1];
	unsigned port;

	if (find_door(d, p->a, addr, &port) && make_word(word))
		talk_say(t, "meet %u %s %s %s %u %s\n", round, d->node[p->a],
			 d->node[p->b], addr, port, word);
}

/* What the nodes have told since then. */
static void note_figures(const struct doctor *d, size_t since, unsigned round,
			 struct pairs *p)
{
	struct pair_figure figure;
	unsigned of;

	for (size_t i = since; i < d->nfacts; i++)
		if (!strcmp(d->fact[i].key, "met") &&
		    sscanf(d->fact[i].text, "%u %lf %u", &of, &figure.rate,
			   &figure.again) == 3 &&
		    of == round)
			pairs_note(p, d->fact[i].node, &figure);
}

/* Of a pair when its second node has come, so that each is told once. */
static void tell_pairs(struct doctor *d, const struct pairs *p, unsigned node)
{
	const struct pair_node *n = &p->node[node];
	char fact[DOCTOR_TEXT_SIZE];

	for (unsigned i = 0; i < n->nmet; i++) {
		if (n->met[i].other > node)
			continue;
		snprintf(fact, sizeof(fact), "pair %u %u %.0f", i + 1,
			 n->met[i].other, pairs_rate(p, node, i));
		doctor_add_fact(d, node, fact);
	}
}

static void tell_verdict(struct doctor *d, const struct pairs *p, unsigned node)
{
	static const enum doctor_level level[] = {
		[PAIR_WELL] = DOCTOR_OK,     [PAIR_REMARK] = DOCTOR_WARN,
		[PAIR_SLOW] = DOCTOR_FAIL,   [PAIR_LOSSY] = DOCTOR_FAIL,
		[PAIR_BROKEN] = DOCTOR_FAIL,
	};
	char text[DOCTOR_TEXT_SIZE] = "-", fact[sizeof(text) + 32];
	enum pair_verdict v = pairs_judge(p, node, (const char **)d->node, text,
					  sizeof(text));

	snprintf(fact, sizeof(fact), "pair-verdict %d %s", level[v], text);
	doctor_add_fact(d, node, fact);
}

/* All nodes are asked, or none: silence would read as well. */
static void tell_not_measured(struct doctor *d, unsigned nready)
{
	char fact[DOCTOR_TEXT_SIZE];

	snprintf(fact, sizeof(fact),
		 "pair-verdict %d not measured: %u of the %u nodes can take "
		 "part; --nodes leaves others out",
		 DOCTOR_FAIL, nready, d->nnodes);
	for (unsigned i = 0; i < d->nnodes; i++)
		doctor_add_fact(d, i, fact);
}

static void measure(struct talk *t, struct doctor *d, struct pairs *p,
		    struct pair *pair)
{
	unsigned n;

	while ((n = pairs_next(p, pair))) {
		size_t since = d->nfacts;

		talk_want(t, "met");
		for (unsigned i = 0; i < n; i++)
			say_meet(t, d, p->stage, &pair[i]);
		talk_wait(t, 2 * n, ANSWER_MS);
		note_figures(d, since, p->stage, p);
	}
	for (unsigned i = 0; i < d->nnodes; i++) {
		tell_pairs(d, p, i);
		tell_verdict(d, p, i);
	}
}

static void ask_pairs(struct talk *t, struct doctor *d)
{
	cleanup_free struct pair *pair =
		calloc(d->nnodes / 2 + 1, sizeof(*pair));
	struct pairs p;
	unsigned nready;

	if (d->nnodes < 2)
		return;
	talk_want(t, "door");
	talk_say(t, "pairs\n");
	talk_wait(t, d->nnodes, DOCTOR_CALL_MS);
	nready = doctor_count(d, "door");
	if (!pair || nready < d->nnodes || pairs_open(&p, d->nnodes) < 0) {
		tell_not_measured(d, nready);
		return;
	}
	measure(t, d, &p, pair);
	pairs_close(&p);
}

int all_reduce_from_pairs(const struct doctor *d, struct all_reduce *ret,
			  struct err *err)
{
	*ret = (struct all_reduce){
		.pair = calloc(d->nfacts + 1, sizeof(*ret->pair))};
	if (!ret->pair)
		return err_memory(err);
	for (size_t i = 0; i < d->nfacts; i++) {
		struct all_reduce_pair *p = &ret->pair[ret->npairs];
		unsigned round;

		if (strcmp(d->fact[i].key, "pair") != 0 ||
		    sscanf(d->fact[i].text, "%u %u %lf", &round, &p->node[0],
			   &p->rate) != 3)
			continue;
		p->node[1] = d->fact[i].node;
		ret->npairs++;
		if (round > ret->nrounds)
			ret->nrounds = round;
	}
	return 0;
}

/* --- the talk --- */

static void talk(struct talk *t, const struct doctor_options *o)
{
	unsigned n;

	talk_want(t, "ready");
	talk_wait(t, t->doctor->nnodes, o->timeout_s * 667UL);
	n = t->got;
	if (n) {
		ask_clocks(t, n);
		if (o->auth.by_slurm)
			ask_token(t, &o->auth, n);
		else
			ask_munge(t, n);
		ask_reach(t, n);
		if (o->pairs)
			ask_pairs(t, t->doctor);
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
