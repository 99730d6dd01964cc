/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/visit/way_search.h"

#include "core/base/text.h"
#include "helpers/auth/asker.h"
#include "helpers/conn/question.h"
#include "registry/registry.h"
#include "sys/socket.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- where it may be --- */

struct list {
	char (*ip)[IP_TEXT_SIZE];
	unsigned n;
	bool loopback;
};

/* Addresses with a zone lead nowhere from here. */
static void add(struct list *list, const struct sockaddr *addr, size_t size)
{
	struct sockaddr_storage copy = {.ss_family = AF_UNSPEC};
	char text[IP_TEXT_SIZE];

	if (list->n == NODE_IPS_MAX)
		return;
	memcpy(&copy, addr, size);
	if (host_address_text(&copy, text, sizeof(text)) < 0 ||
	    strchr(text, '%'))
		return;
	for (unsigned i = 0; i < list->n; i++)
		if (!strcmp(list->ip[i], text))
			return;
	list->loopback = list->loopback || host_address_is_loopback(&copy);
	memcpy(list->ip[list->n++], text, sizeof(text));
}

static void add_own(struct list *list, int family, size_t size)
{
	struct ifaddrs *all = NULL;

	if (getifaddrs(&all) < 0)
		return;
	for (const struct ifaddrs *i = all; i; i = i->ifa_next)
		if (i->ifa_addr && i->ifa_addr->sa_family == family &&
		    !(i->ifa_flags & IFF_LOOPBACK))
			add(list, i->ifa_addr, size);
	freeifaddrs(all);
}

/* The addresses at which a node may be reached from here: all that NodeAddr, an
 * address or a name, stands for. A loopback address says that the node is this
 * host, whose other addresses follow then: a launcher that others must find
 * isn't at that one. Waits for the resolver. Returns how many. */
static unsigned node_ips(const char *node_addr,
			 char ret[NODE_IPS_MAX][IP_TEXT_SIZE])
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
	struct list list = {.ip = ret};

	if (getaddrinfo(node_addr, NULL, &hints, &found) != 0)
		return 0;
	for (const struct addrinfo *a = found; a; a = a->ai_next)
		add(&list, a->ai_addr, a->ai_addrlen);
	freeaddrinfo(found);
	if (list.loopback) {
		add_own(&list, AF_INET, sizeof(struct sockaddr_in));
		add_own(&list, AF_INET6, sizeof(struct sockaddr_in6));
	}
	return list.n;
}

#define NODES_MAX 8 /* of the step's; and srun's host */

static void add_range(struct way_list *list, unsigned min, unsigned max)
{
	struct port_range range = {0};

	if (!min || list->nranges == WAY_RANGES_MAX)
		return;
	for (unsigned i = 0; i < list->nranges; i++)
		if (list->range[i].min == min && list->range[i].max == max)
			return;
	range.min = min;
	range.max = max;
	port_range_spare_slurms(&range, list->where.step->ports.mpi_params);
	list->range[list->nranges++] = range;
}

/* That of a controller whose srun didn't know the step yet. */
static unsigned port_by_pid(const struct way_list *list, unsigned try)
{
	return port_beside_srun(list->where.step->srun_pid,
				&list->range[try % list->nranges],
				try / list->nranges);
}

unsigned way_list_port(const struct way_list *list, unsigned try)
{
	const struct found_step *step = list->where.step;
	unsigned range = try % list->nranges;

	if (!range && step->ports.srun_min)
		return port_by_pid(list, try);
	return port_of_launchers(step->job_id, step->step_id, step->restart,
				 &list->range[range], try / list->nranges);
}

static void add_addresses(struct way_list *list, unsigned port,
			  const struct found_node *node,
			  char ips[NODE_IPS_MAX][IP_TEXT_SIZE], unsigned nips)
{
	for (unsigned i = 0; i < nips; i++) {
		struct address *a = &list->address[list->n++];

		a->port = port;
		a->node = node;
		memcpy(a->ip, ips[i], sizeof(a->ip));
	}
}

static unsigned choose_hosts(const struct found_step *step,
			     const struct found_node *ret[NODES_MAX + 1])
{
	unsigned n = 0;

	if (*step->srun.addr)
		ret[n++] = &step->srun;
	for (unsigned i = 0; i < step->nfound && i < NODES_MAX; i++)
		if (strcmp(step->node[i].addr, step->srun.addr) != 0)
			ret[n++] = &step->node[i];
	return n;
}

static void fill(struct way_list *list)
{
	const struct found_node *host[NODES_MAX + 1];
	char ips[NODES_MAX + 1][NODE_IPS_MAX][IP_TEXT_SIZE];
	unsigned nips[NODES_MAX + 1];
	unsigned n = choose_hosts(list->where.step, host);

	for (unsigned i = 0; i < n; i++)
		nips[i] = node_ips(host[i]->addr, ips[i]);
	for (unsigned try = 0; try < LAUNCHERS_TRIES * list->nranges; try++)
		for (unsigned i = 0; i < n; i++)
			add_addresses(list, way_list_port(list, try), host[i],
				      ips[i], nips[i]);
	if (!*list->where.step->srun.addr || list->where.step->ports.srun_min)
		return;
	for (unsigned try = 0; try < LAUNCHERS_TRIES * list->nranges; try++)
		add_addresses(list, port_by_pid(list, try), host[0], ips[0],
			      nips[0]);
}

int way_list_open(struct way_list *ret, const struct way_where *where,
		  struct err *err)
{
	const struct site_ports *site = &where->step->ports;
	struct config usual;

	*ret = (struct way_list){.where = *where};
	if (config_parse(0, NULL, &usual, err) < 0)
		return -1;
	add_range(ret, site->srun_min, site->srun_max);
	add_range(ret, where->port_min, where->port_max);
	add_range(ret, site->min, site->max);
	if (!where->step->world)
		add_range(ret, usual.port_min, usual.port_max);
	config_clear(&usual);
	ret->address = calloc((size_t)(NODES_MAX + 2) * NODE_IPS_MAX *
				      LAUNCHERS_TRIES * ret->nranges,
			      sizeof(*ret->address));
	if (!ret->address)
		return err_memory(err);
	fill(ret);
	return 0;
}

void way_list_close(struct way_list *list)
{
	free(list->address);
}

/* --- the search --- */

#define SLOTS	     8	  /* that are asked at a time */
#define ANSWER_MS    2000 /* for one to answer */
#define PAUSE_MS     20	  /* between passes at first */
#define PAUSE_MAX_MS 1000
/* In all: where nobody listens at all; where somebody does. */
#define NOBODY_MS 3000
#define REACH_MS  10000

struct slot {
	struct way_search *search;
	struct question *question; /* NULL: free */
	struct address address;
	struct loop_timer deadline;
};

/* What an address was, the more telling ones last. */
enum finding {
	NOTHING,
	REFUSED,
	UNREACHABLE,
	NO_SECRET, /* an answer that can't be opened */
	CLOSED,
	SILENT,
	COMPLAINT, /* it says why it has none */
};

struct way_search {
	struct way_search_options o;
	struct asker *asker;
	struct slot slot[SLOTS];
	struct way_list list;
	unsigned next; /* of it */
	struct address found;
	unsigned pass; /* of the client */
	struct loop_timer pause;
	uint64_t since_ms, pause_ms;
	bool over;
	/* the most telling one */
	enum finding finding;
	struct address at;
	char why[256];
	bool listens; /* somebody may yet lead there, whatever others say */
};

/* --- what an address was --- */

static void note(struct way_search *s, const struct address *a,
		 enum finding finding, const char *why)
{
	s->listens |= finding == CLOSED || finding == SILENT;
	if (finding <= s->finding)
		return;
	s->finding = finding;
	s->at = *a;
	snprintf(s->why, sizeof(s->why), "%.*s", (int)strcspn(why, "\n"), why);
	plain_text(s->why, "");
}

static void note_errno(struct way_search *s, const struct address *a, int why)
{
	if (why == ETIMEDOUT)
		note(s, a, SILENT, "");
	else if (!why || why == ECONNRESET || why == EPIPE || why == ENOKEY)
		note(s, a, CLOSED, "");
	else
		note(s, a, why == ECONNREFUSED ? REFUSED : UNREACHABLE,
		     strerror(why));
}

static bool take_answer(struct way_search *s, const struct address *a,
			const char *text)
{
	struct err err;

	if (question_is_refused(text)) {
		note(s, a, COMPLAINT, question_why(text));
		return false;
	}
	if (asker_open_answer(s->asker, text, s->o.secret, &err) == 0)
		return true;
	note(s, a, NO_SECRET, err.text);
	return false;
}

/* --- asking --- */

static void go_on(struct way_search *s);

static void free_slot(struct slot *slot)
{
	loop_disarm(slot->search->o.loop, &slot->deadline);
	question_close(slot->question);
	slot->question = NULL;
}

static void end(struct way_search *s, void (*call)(void *arg))
{
	for (unsigned i = 0; i < SLOTS; i++)
		free_slot(&s->slot[i]);
	loop_disarm(s->o.loop, &s->pause);
	s->over = true;
	call(s->o.arg);
}

static void on_answer(void *arg, const char *text, int why)
{
	struct slot *slot = arg;
	struct way_search *s = slot->search;

	if (text && take_answer(s, &slot->address, text)) {
		s->found = slot->address;
		end(s, s->o.found);
		return;
	}
	if (!text)
		note_errno(s, &slot->address, why);
	free_slot(slot);
	go_on(s);
}

static void on_slow(void *arg)
{
	on_answer(arg, NULL, ETIMEDOUT);
}

static void ask(struct slot *slot, const struct address *a)
{
	struct way_search *s = slot->search;
	int fd = socket_connect(a->ip, a->port);
	struct err err;

	slot->address = *a;
	if (fd < 0) {
		note_errno(s, a, errno);
		return;
	}
	slot->question =
		question_ask(s->o.loop, s->asker, fd, on_answer, slot, &err);
	if (slot->question)
		loop_arm(s->o.loop, &slot->deadline, ANSWER_MS);
}

/* Returns whether one is asked. */
static bool fill_slots(struct way_search *s)
{
	bool busy = false;

	for (unsigned i = 0; i < SLOTS; i++) {
		struct slot *slot = &s->slot[i];

		while (!slot->question && s->next < s->list.n)
			ask(slot, &s->list.address[s->next++]);
		busy = busy || slot->question;
	}
	return busy;
}

static bool is_time_over(const struct way_search *s)
{
	uint64_t ms = s->listens ? REACH_MS : NOBODY_MS;

	return loop_now_ms() - s->since_ms >= ms;
}

/* All from the begin. */
static void next_pass(struct way_search *s)
{
	if (is_time_over(s)) {
		end(s, s->o.failed);
		return;
	}
	loop_arm(s->o.loop, &s->pause, s->pause_ms);
	if (s->pause_ms < PAUSE_MAX_MS)
		s->pause_ms *= 2;
}

static void go_on(struct way_search *s)
{
	if (s->over || s->pause.armed)
		return;
	if (!fill_slots(s))
		next_pass(s);
}

static void begin_pass(void *arg)
{
	struct way_search *s = arg;

	s->next = 0;
	go_on(s);
}

struct way_search *way_search_open(const struct way_search_options *options,
				   struct err *err)
{
	const struct asker_options asks = {.loop = options->loop,
					   .auth = options->auth,
					   .id = options->id};
	struct way_search *s = calloc(1, sizeof(*s));

	if (!s)
		return err_memory_null(err);
	s->o = *options;
	s->asker = asker_open(&asks, err);
	if (!s->asker || way_list_open(&s->list, &options->where, err) < 0) {
		asker_close(s->asker);
		free(s);
		return NULL;
	}
	for (unsigned i = 0; i < SLOTS; i++) {
		s->slot[i].search = s;
		s->slot[i].deadline = (struct loop_timer){
			.expired = on_slow,
			.arg = &s->slot[i],
		};
	}
	s->pause = (struct loop_timer){.expired = begin_pass, .arg = s};
	s->pause_ms = PAUSE_MS;
	s->since_ms = loop_now_ms();
	loop_arm(s->o.loop, &s->pause, 0);
	return s;
}

void way_search_close(struct way_search *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < SLOTS; i++)
		free_slot(&s->slot[i]);
	loop_disarm(s->o.loop, &s->pause);
	asker_close(s->asker);
	way_list_close(&s->list);
	free(s);
}

/* --- for the client --- */

static const struct address *way(const struct way_search *s, unsigned try)
{
	unsigned nth = s->pass * (LAUNCHERS_TRIES - 1) + try - 1;

	return try && s->list.n ? &s->list.address[nth % s->list.n] : &s->found;
}

unsigned way_port(const void *arg, unsigned try)
{
	struct way_search *s = (struct way_search *)arg;

	s->pass += try == LAUNCHERS_TRIES;
	return try < LAUNCHERS_TRIES ? way(s, try)->port : 0;
}

const char *way_ip(const void *arg, unsigned try, char ret[HOSTLIST_NAME_MAX])
{
	snprintf(ret, HOSTLIST_NAME_MAX, "%s", way(arg, try)->ip);
	return ret;
}

const char *way_node(const struct way_search *s)
{
	return s->found.node->name;
}

/* --- why not --- */

static int nobody(const struct way_search *s, struct err *err)
{
	const struct found_step *step = s->o.where.step;
	const struct site_ports *site = &step->ports;

	return err_printf(
		err,
		"step %s can't be reached: nobody listens at port %u of "
		"%s%s%s%s%s."
		" It has launchers in device mode or with supervise=yes only"
		"%s%s%s",
		step->name, way_list_port(&s->list, 0), step->srun.name,
		*step->srun.name ? ", where srun is, and of " : "",
		step->node[0].name,
		step->nnodes > 1 ? " and of the other nodes" : "",
		s->finding == UNREACHABLE ? ", which this host may not reach"
					  : "",
		site->min || s->o.where.port_min
			? ""
			: "; the administrator's ports= weren't found here (no "
			  "plugstack.conf): give them with --ports=MIN-MAX",
		site->min ? "; the ports are those of " : "",
		site->min ? site->file : "");
}

int way_failed(const struct way_search *s, struct err *err)
{
	const struct found_step *step = s->o.where.step;
	const char *node = s->at.node ? s->at.node->name : "";
	const char *fault = asker_fault(s->asker);

	if (fault)
		return err_printf(err, "step %s can't be asked: %s", step->name,
				  fault);
	if (s->finding == NOTHING)
		return err_printf(err,
				  "step %s can't be reached: %s has no address "
				  "here",
				  step->name, step->node[0].addr);
	if (s->finding == COMPLAINT)
		return err_printf(err,
				  "step %s can't be asked: %s says: %s (so "
				  "says who listens there at port %u: its "
				  "launcher, or anybody)",
				  step->name, node, s->why, s->at.port);
	if (s->finding == NO_SECRET)
		return err_printf(err,
				  "step %s can't be asked: what %s answers at "
				  "port %u can't be opened here: %s",
				  step->name, node, s->at.port, s->why);
	if (s->finding == SILENT)
		return err_printf(err,
				  "step %s: %s doesn't answer at port %u: the "
				  "step's controller there is stopped, or the "
				  "network is cut",
				  step->name, node, s->at.port);
	if (s->finding == CLOSED)
		return err_printf(err,
				  "step %s: its launchers aren't ready (%s "
				  "port %u): they begin, or end: try again",
				  step->name, node, s->at.port);
	return nobody(s, err);
}
