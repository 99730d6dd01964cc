/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The director's side of the agents' talk: it learns what all nodes are, then
 * the ports of all worlds, and then does what director.c decides. What is
 * meant for this node goes through a queue, so that nobody is called back
 * while he decides.
 */
#include "core/base/restart_pause.h"
#include "core/base/text.h"
#include "helpers/conn/connections.h"
#include "helpers/conn/loss_lines.h"
#include "helpers/conn/message.h"
#include "helpers/roles/agent.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMPARE_MS 300
#define SLOW_S	   30 /* until a world that isn't ready is spoken of */
#define ALL	   UINT_MAX

/* To this node's own agent, or from it. */
struct letter {
	struct letter *next;
	bool to_director;
	char text[];
};

/* Of a world: how many of its launchers run, and the first that has failed. */
struct tally {
	struct roles_server *server;
	unsigned running;
	int code;
	struct restart_pause pauses; /* and when its round began */
	struct loop_timer pause;
};

struct roles_server {
	struct agent *agent;
	struct connections here;
	struct connection **node; /* by task; NULL: it isn't here, or is us */
	unsigned nnodes;	  /* that have told what they are */
	unsigned nports;	  /* worlds whose ports are known */
	struct letter *first, **last;
	struct loop_timer deliver, late, compare, save;
	struct loop_timer slow; /* a world may not be ready */
	unsigned slow_s;
	bool slows; /* and one was spoken of */
	struct tally *tally;
	struct director director;
	bool leaves;
};

/* --- sending --- */

static void put(struct roles_server *s, bool to_director, const char *text)
{
	struct letter *l = malloc(sizeof(*l) + strlen(text) + 1);

	if (!l)
		return agent_give_up(s->agent);
	*l = (struct letter){.to_director = to_director};
	strcpy(l->text, text);
	*s->last = l;
	s->last = &l->next;
	if (!s->deliver.armed)
		loop_arm(&s->agent->loop, &s->deliver, 0);
}

static void send_far(struct roles_server *s, unsigned node, const char *text)
{
	struct msgbuf *msgbuf = msgbuf_new(AGENT_MESSAGE, text, strlen(text));
	unsigned n = s->agent->job.ntasks;

	if (!msgbuf)
		return agent_give_up(s->agent);
	for (unsigned i = 0; i < n; i++)
		if ((node == ALL || node == i) && s->node[i])
			secure_conn_send(s->node[i]->conn, msgbuf);
	msgbuf_drop(msgbuf);
}

static void send_text(struct roles_server *s, unsigned node, const char *text)
{
	send_far(s, node, text);
	if (node == ALL || node == 0)
		put(s, false, text);
}

static void tell(struct roles_server *s, unsigned node, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void tell(struct roles_server *s, unsigned node, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	send_text(s, node, text);
}

/* To all nodes of a world. */
static void tell_world(struct roles_server *s, unsigned world, const char *word,
		       unsigned round)
{
	const struct role_world *w = &s->agent->roles.world[world];

	for (unsigned i = 0; i < w->nnodes; i++)
		tell(s, w->node + i, "%s %u %u", word, world, round);
}

/* --- worlds that aren't ready for long --- */

static void look_for_slow(struct roles_server *s, unsigned after_s)
{
	s->slow_s = after_s;
	loop_arm(&s->agent->loop, &s->slow, (uint64_t)after_s * 1000);
}

/* It isn't ready, and has had so long for that. */
static bool is_slow(const struct roles_server *s, unsigned w, unsigned ms)
{
	return s->director.world[w].state == WORLD_STARTS &&
	       loop_now_ms() - s->tally[w].pauses.began_ms >= ms;
}

/* What is awaited of which world, who waits for it, and where to look. */
static void say_slow(const struct roles_server *s, unsigned w, unsigned more)
{
	const struct agent *a = s->agent;
	const struct role_world *world = &a->roles.world[w];
	const struct role_line *line = &a->file.role[world->role];
	int waits = director_waits_for(&s->director, w);
	char name[ROLE_WORLD_NAME_SIZE], text[1024] = "";
	uint64_t ms = loop_now_ms() - s->tally[w].pauses.began_ms;

	text_add(text, sizeof(text), "",
		 "%s on %s isn't ready after %llu s (ready=%s%s",
		 role_world_name(&a->roles, world, name),
		 a->node[world->node].name, (unsigned long long)ms / 1000,
		 role_ready_word(line),
		 line->ready_value ? line->ready_value : "");
	if (line->ready == READY_TCP || line->ready == READY_HTTP)
		text_add(text, sizeof(text), "", " at %s:%u",
			 a->address[w].host, *a->address[w].port);
	text_add(text, sizeof(text), "", ")");
	if (more)
		text_add(text, sizeof(text), "", ", nor %u more", more);
	if (waits != ROLE_NONE)
		text_add(text, sizeof(text), ": ", "%s waits for it",
			 a->file.role[waits].name);
	text_add(text, sizeof(text), "; ",
		 "see what it writes, and `dist-train status %lu`",
		 a->job.job_id);
	agent_say(text);
}

/* One line of the first for all, again when twice as much time is over. */
static void on_slow(void *arg)
{
	struct roles_server *s = arg;
	unsigned n = 0, starting = 0, first = 0, after_s = SLOW_S;

	for (unsigned w = s->agent->roles.n; w-- > 0;) {
		starting += is_slow(s, w, 0);
		if (!is_slow(s, w, SLOW_S * 1000))
			continue;
		first = w;
		n++;
	}
	if (n) {
		say_slow(s, first, n - 1);
		after_s = s->slow_s * (s->slows ? 2 : 1);
	}
	s->slows = n > 0;
	if (starting)
		look_for_slow(s, after_s);
}

/* --- what the director asks for --- */

static void on_start(void *arg, unsigned world, unsigned round)
{
	struct roles_server *s = arg;
	struct tally *t = &s->tally[world];

	t->running = s->agent->roles.world[world].nnodes;
	t->code = 0;
	t->pauses.began_ms = loop_now_ms();
	tell_world(s, world, AGENT_START, round);
	if (!s->slow.armed)
		look_for_slow(s, SLOW_S);
}

static void on_end(void *arg, unsigned world)
{
	tell_world(arg, world, AGENT_END, 0);
}

static void on_save(void *arg, unsigned world)
{
	tell_world(arg, world, AGENT_SAVE, 0);
}

static void on_save_time(void *arg)
{
	struct roles_server *s = arg;
	const struct agent *a = s->agent;
	long most_s = 0;

	for (unsigned w = 0; w < a->roles.n; w++)
		if (a->file.role[a->roles.world[w].role].done &&
		    a->here[w].save.seconds > most_s)
			most_s = a->here[w].save.seconds;
	loop_arm(&s->agent->loop, &s->save, (uint64_t)most_s * 1000);
}

static void on_compare_time(void *arg)
{
	struct roles_server *s = arg;

	if (!s->compare.armed)
		loop_arm(&s->agent->loop, &s->compare, COMPARE_MS);
}

/* What is compared first is a part of it, so that the usual restart isn't
 * late. */
static void on_pause(void *arg, unsigned world)
{
	struct roles_server *s = arg;
	struct tally *t = &s->tally[world];
	unsigned ms = restart_pause_next(&t->pauses, loop_now_ms());

	loop_arm(&s->agent->loop, &t->pause,
		 ms > COMPARE_MS ? ms - COMPARE_MS : 0);
}

static void on_paused(void *arg)
{
	struct tally *t = arg;

	director_paused(&t->server->director, (unsigned)(t - t->server->tally));
}

static void on_changed(void *arg, unsigned world)
{
	static const char *const words[WORLD_NSTATES] = {
		[WORLD_STARTS] = "started",
		[WORLD_READY] = "ready",
		[WORLD_LEAVES] = "ending",
		[WORLD_OVER] = "done",
	};
	struct roles_server *s = arg;
	const struct director_world *w = &s->director.world[world];
	const char *word = words[w->state];

	if (w->state == WORLD_STARTS && w->round)
		word = "restarted";
	else if (w->state == WORLD_OVER && w->failed)
		word = NULL;

	tell(s, ALL, AGENT_STATE " %u %d", world, (int)w->state);
	if (word)
		world_note(s->agent, world, w->round, word, "");
}

static void on_say(void *arg, unsigned world, const char *line)
{
	const struct roles_server *s = arg;

	agent_say(line);
	world_note(s->agent, world, s->director.world[world].round, "failed",
		   line);
}

/* The last words of worlds are on their way to srun. */
static void on_leave(void *arg, int code)
{
	struct roles_server *s = arg;

	s->leaves = true;
	tell(s, ALL, AGENT_LEAVE " %d", code);
}

static const struct director_calls calls = {
	.start = on_start,
	.end = on_end,
	.save = on_save,
	.save_time = on_save_time,
	.compare_time = on_compare_time,
	.pause = on_pause,
	.changed = on_changed,
	.say = on_say,
	.leave = on_leave,
};

/* --- what agents tell --- */

/* What `fill` writes, which the caller frees; NULL: memory is out. */
static char *text_of(const struct agent *a,
		     void (*fill)(FILE *f, const struct agent *a))
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	fill(f, a);
	if (fclose(f) == 0)
		return text;
	free(text);
	return NULL;
}

static void put_nodes(FILE *f, const struct agent *a)
{
	fputs(AGENT_NODES, f);
	for (unsigned i = 0; i < a->job.ntasks; i++)
		fprintf(f, " %u %s %s", a->node[i].devices, a->node[i].host,
			a->node[i].name);
}

/* All nodes are known: the same plan is made everywhere. */
static void tell_nodes(struct roles_server *s)
{
	struct agent *a = s->agent;
	cleanup_free char *text = text_of(a, put_nodes);

	if (!text)
		return agent_give_up(a);
	send_far(s, ALL, text);
	agent_message(a, text); /* before anybody answers */
}

/* Where the others reach a node: as it is seen from here. */
static void note_host(struct roles_server *s, unsigned from, char *host)
{
	const struct connection *c = s->node[from];
	char ip[IP_TEXT_SIZE];

	if (c && conn_address(secure_conn_fd(c->conn), false, ip) == 0)
		snprintf(host, HOSTLIST_NAME_MAX, "%s", ip);
	else
		snprintf(host, HOSTLIST_NAME_MAX, "%s",
			 s->agent->plan.coordinator.addr);
}

static void note_node(struct roles_server *s, unsigned from, const char *text)
{
	struct agent_node *node = &s->agent->node[from];
	char name[HOSTLIST_NAME_MAX];
	unsigned devices;

	if (*node->name || sscanf(text, "%u %255s", &devices, name) != 2)
		return;
	node->devices = devices;
	snprintf(node->name, sizeof(node->name), "%s", name);
	note_host(s, from, node->host);
	if (++s->nnodes < s->agent->job.ntasks)
		return;
	loop_disarm(&s->agent->loop, &s->late);
	tell_nodes(s);
}

static void put_ports(FILE *f, const struct agent *a)
{
	fputs(AGENT_ALL_PORTS, f);
	for (unsigned w = 0; w < a->roles.n; w++)
		fprintf(f, " %u", a->block[w]);
}

static void tell_ports(struct roles_server *s)
{
	cleanup_free char *text = text_of(s->agent, put_ports);

	if (!text)
		return agent_give_up(s->agent);
	send_text(s, ALL, text);
	director_begin(&s->director);
}

/* This node has its plan by then: what comes back, comes later. */
static int open_director(struct roles_server *s, struct err *err)
{
	if (s->tally)
		return 0;
	s->tally = calloc(s->agent->roles.n, sizeof(*s->tally));
	if (!s->tally)
		return err_memory(err);
	for (unsigned w = 0; w < s->agent->roles.n; w++) {
		s->tally[w].server = s;
		s->tally[w].pause = (struct loop_timer){.expired = on_paused,
							.arg = &s->tally[w]};
	}
	s->director = (struct director){
		.plan = &s->agent->roles, .calls = &calls, .arg = s};
	return director_open(&s->director, err);
}

static void note_ports(struct roles_server *s, unsigned from, const char *text)
{
	struct agent *a = s->agent;
	unsigned world, port;
	struct err err;

	if (sscanf(text, "%u %u", &world, &port) != 2 || world >= a->roles.n ||
	    a->roles.world[world].node != from)
		return;
	if (open_director(s, &err) < 0)
		return agent_give_up(a);
	s->nports += !a->block[world];
	a->block[world] = port;
	if (s->nports == a->roles.n)
		tell_ports(s);
}

/* WORLD ROUND, of this round; else it is too late. */
static bool is_now(const struct roles_server *s, unsigned from,
		   const char *text, unsigned *ret_world, int *ret_code)
{
	const struct role_world *w;
	unsigned round;

	*ret_code = 0;
	if (sscanf(text, "%u %u %d", ret_world, &round, ret_code) < 2 ||
	    !s->tally || *ret_world >= s->agent->roles.n)
		return false;
	w = &s->agent->roles.world[*ret_world];
	return from - w->node < w->nnodes &&
	       s->director.world[*ret_world].round == round;
}

/* One of its launchers: when all have ended, the world has. The others end by
 * themselves: they have a controller of their own. */
static void note_ended(struct roles_server *s, unsigned from, const char *text)
{
	struct tally *t;
	unsigned world;
	int code;

	if (!is_now(s, from, text, &world, &code))
		return;
	t = &s->tally[world];
	if (!t->running)
		return;
	if (!t->code)
		t->code = code;
	if (!--t->running)
		director_event(&s->director, world, WORLD_IS_GONE, t->code);
}

static void note_event(struct roles_server *s, unsigned from, const char *text,
		       enum world_event event)
{
	unsigned world;
	int code;

	if (is_now(s, from, text, &world, &code))
		director_event(&s->director, world, event, 0);
}

/* A node can't do its part. Before anything runs that is the end of all. */
static void note_fault(struct roles_server *s, const char *line)
{
	if (s->leaves)
		return;
	agent_say(line);
	if (s->director.world && s->director.phase != DIRECTOR_OVER)
		director_end(&s->director, EXIT_FAILURE);
	else
		on_leave(s, EXIT_FAILURE);
}

static void note(struct roles_server *s, unsigned from, const char *text)
{
	static const struct {
		const char *word;
		void (*note)(struct roles_server *s, unsigned from,
			     const char *text);
	} notes[] = {
		{AGENT_NODE " ", note_node},
		{AGENT_PORTS " ", note_ports},
		{AGENT_ENDED " ", note_ended},
	};

	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++) {
		size_t n = strlen(notes[i].word);

		if (!strncmp(text, notes[i].word, n))
			return notes[i].note(s, from, text + n);
	}
	if (!strncmp(text, AGENT_READY " ", sizeof(AGENT_READY)))
		note_event(s, from, text + sizeof(AGENT_READY), WORLD_IS_READY);
	else if (!strncmp(text, AGENT_LATE " ", sizeof(AGENT_LATE)))
		note_event(s, from, text + sizeof(AGENT_LATE), WORLD_IS_LATE);
	else if (!strncmp(text, AGENT_FAULT " ", sizeof(AGENT_FAULT)))
		note_fault(s, text + sizeof(AGENT_FAULT));
}

/* --- the queue --- */

static void deliver(void *arg)
{
	struct roles_server *s = arg;
	struct letter *l = s->first;

	s->first = NULL;
	s->last = &s->first;
	while (l) {
		struct letter *next = l->next;

		if (l->to_director)
			note(s, 0, l->text);
		else
			agent_message(s->agent, l->text);
		free(l);
		l = next;
	}
}

void roles_server_told(struct roles_server *s, const char *text)
{
	put(s, true, text);
}

/* --- connections --- */

/* Returns 0 or -1. */
static int welcome(struct roles_server *s, struct connection *c,
		   const char *text)
{
	char node[HOSTLIST_NAME_MAX];
	unsigned member;

	if (c->member != NOBODY ||
	    message_hello_read(text, 1, (long)s->agent->job.ntasks - 1, &member,
			       node) < 0 ||
	    s->node[member])
		return -1;
	s->node[member] = c;
	connection_welcome(c, member, node);
	return 0;
}

/* Its own launcher tells the step of it. */
static void on_gone(void *arg, int why)
{
	struct connection *c = arg;
	struct roles_server *s = c->all->owner;
	bool counts = c->member != NOBODY;

	if (counts)
		s->node[c->member] = NULL;
	connection_drop(c);
	if (counts && !s->leaves)
		agent_lose(s->agent, why);
	else if (counts && !s->here.nknown)
		loop_stop(&s->agent->loop);
}

static void on_told(void *arg, char type, const char *data, size_t n)
{
	struct connection *c = arg;
	struct roles_server *s = c->all->owner;

	(void)n;
	if (type == MSG_HELLO ? welcome(s, c, data) < 0 : c->member == NOBODY)
		on_gone(c, 0);
	else if (type == AGENT_MESSAGE)
		note(s, c->member, data);
}

static unsigned port_of(const void *arg, unsigned try)
{
	const struct agent *a = arg;

	return try ? 0 : a->plan.coordinator.port;
}

static void no_line(void *arg, const char *line)
{
	(void)arg;
	(void)line;
}

static void on_late(void *arg)
{
	struct roles_server *s = arg;

	agent_fault(s->agent,
		    "%u of the step's %u nodes haven't come within %ld s "
		    "(timeout): nothing was started",
		    s->agent->job.ntasks - s->nnodes, s->agent->job.ntasks,
		    request_seconds(&s->agent->request, KEY_TIMEOUT));
}

static void on_compare(void *arg)
{
	struct roles_server *s = arg;

	director_compare(&s->director);
}

static void on_saved(void *arg)
{
	struct roles_server *s = arg;

	director_saved(&s->director);
}

static int listen_for_agents(struct roles_server *s, struct err *err)
{
	struct agent *a = s->agent;

	s->here = (struct connections){
		.step = {.loop = &a->loop,
			 .secret = a->secret,
			 .id = "roles",
			 .lease_s = request_seconds(&a->request, KEY_LEASE)},
		.ip = a->plan.coordinator.addr,
		.node = a->job.node_name,
		.nmembers = a->job.ntasks,
		.message = on_told,
		.lost = on_gone,
		.owner = s,
		.say = no_line,
	};
	connections_init(&s->here);
	return a->job.ntasks == 1
		       ? 0
		       : connections_listen(&s->here, port_of, a, err);
}

struct roles_server *roles_server_open(struct agent *a, struct err *err)
{
	struct roles_server *s = calloc(1, sizeof(*s));

	if (!s || !(s->node = calloc(a->job.ntasks, sizeof(*s->node)))) {
		free(s);
		err_memory(err);
		return NULL;
	}
	s->agent = a;
	s->last = &s->first;
	s->deliver = (struct loop_timer){.expired = deliver, .arg = s};
	s->late = (struct loop_timer){.expired = on_late, .arg = s};
	s->compare = (struct loop_timer){.expired = on_compare, .arg = s};
	s->save = (struct loop_timer){.expired = on_saved, .arg = s};
	s->slow = (struct loop_timer){.expired = on_slow, .arg = s};
	if (listen_for_agents(s, err) < 0) {
		roles_server_close(s);
		return NULL;
	}
	loop_arm(&a->loop, &s->late,
		 (unsigned long)request_seconds(&a->request, KEY_TIMEOUT) *
			 1000);
	return s;
}

void roles_server_gives_up(struct roles_server *s)
{
	s->leaves = true;
	send_far(s, ALL, AGENT_LOST " -");
}

void roles_server_signalled(struct roles_server *s, int code)
{
	if (s->director.world)
		director_told(&s->director, code);
	else
		on_leave(s, code);
}

void roles_server_close(struct roles_server *s)
{
	if (!s)
		return;
	connections_close(&s->here);
	while (s->first) {
		struct letter *l = s->first;

		s->first = l->next;
		free(l);
	}
	director_close(&s->director);
	free(s->tally);
	free(s->node);
	free(s);
}
