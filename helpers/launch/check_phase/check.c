/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/launch/check_phase/check.h"

#include "core/base/cleanup.h"
#include "core/base/hostlist.h"
#include "core/base/text.h"
#include "core/facts/places.h"
#include "helpers/check/node_look.h"
#include "helpers/check/pair_talk.h"
#include "helpers/ending/common_fault.h"
#include "helpers/launch/launch.h"
#include "helpers/launch/note.h"
#include "helpers/launch/phase.h"
#include "helpers/launch/step.h"
#include "sys/epoch.h"
#include "sys/host_address.h"
#include "sys/socket.h"

#include <arpa/inet.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct check {
	struct node_look look;
	struct node_look_wish wish;
	struct pair_talk talk;
	struct pair_talk_wish pair;
	unsigned stage; /* of the pair that measures */
	char ip[64];	/* of this node, for others; "-": not needed */
	unsigned port;
	int listen_fd;	  /* open from the phase's begin to its end */
	unsigned well_at; /* the place in which it was found well; PLACE_NONE */
	uint64_t began_ms;
	unsigned other;	 /* the place of the one who measures with us */
	char found[256]; /* for the record */
};

bool check_is_wanted(const struct plan *plan)
{
	return plan->resolved.check != CHECK_OFF;
}

static bool is_full(const struct launch *l)
{
	return l->plan.resolved.check == CHECK_FULL;
}

/* In a step whose launchers can't meet, each one is alone. */
static unsigned own_place(const struct launch *l)
{
	return launch_no_channel(l) ? 0 : l->plan.job->place;
}

static void tell(struct launch *l, const char *text)
{
	cleanup_free char *message = NULL;

	if (asprintf(&message, "%u %u %s", l->job.round, own_place(l), text) <
	    0)
		launch_fail(l, "out of memory");
	else
		launch_send(l, MSG_CHECK, message);
}

/* --- this node --- */

static void tell_facts(struct launch *l, bool is_new, const char *facts)
{
	const struct check *c = l->view.check;
	cleanup_free char *text = NULL;

	if (asprintf(&text, "0 %d %lld %s %u\n%s", is_new,
		     (long long)epoch_ms(), c->ip, c->port, facts) < 0)
		launch_fail(l, "out of memory");
	else
		tell(l, text);
}

static void has_looked(void *arg, const char *facts)
{
	struct launch *l = arg;
	struct check *c = l->view.check;

	snprintf(c->found, sizeof(c->found), "looked at in %.1f s",
		 (double)(loop_now_ms() - c->began_ms) / 1000);
	tell_facts(l, true, facts);
	node_look_close(&c->look);
}

/* A task that has devices of its own may not see the others of its node. */
int check_gpus_given(const struct launch *l)
{
	const struct device_facts *devices = &l->job.devices;
	unsigned n = devices->task.n ? devices->task.n : device_count(devices);

	return l->plan.resolved.npu || !n ? -1 : (int)n;
}

static int look(struct launch *l, struct err *err)
{
	struct check *c = l->view.check;

	c->wish = (struct node_look_wish){
		.gpus = check_gpus_given(l),
		.run_dir = *l->run_dir.path ? l->run_dir.path : NULL,
		.program = request_text(&l->request, KEY_CHECK_PROGRAM),
		.program_ms =
			(int)request_seconds(&l->request, KEY_TIMEOUT) * 1000,
	};
	if (l->plan.resolved.npu)
		c->wish.npus = l->npus.own;
	c->look.loop = &l->loop;
	c->look.done = has_looked;
	c->look.arg = l;
	return node_look_begin(&c->look, &c->wish, err);
}

/* --- with another node --- */

/* The address by which ranks of other nodes reach this one. */
static int find_own_address(const struct launch *l, char *ret, size_t size)
{
	const struct job *job = l->plan.job;
	struct sockaddr_storage first;

	if (job->own_addr || !job->place)
		snprintf(ret, size, "%s",
			 job->own_addr ? job->own_addr : job->rank0_addr);
	else if (host_address(job->rank0_addr, &first) < 0 ||
		 host_address_towards(&first, ret, (unsigned)size) < 0)
		return -1;
	return 0;
}

static int listen_for_pairs(struct launch *l, struct err *err)
{
	struct check *c = l->view.check;
	struct sockaddr_storage at;
	socklen_t size = sizeof(at);

	if (!is_full(l) || l->plan.job->nnodes == 1 || c->listen_fd >= 0)
		return 0;
	if (!l->plan.job->rank0_addr ||
	    find_own_address(l, c->ip, sizeof(c->ip)) < 0)
		return err_printf(err,
				  "check=full: this node's own address isn't "
				  "known, so that no other node can measure "
				  "the network to it");
	c->listen_fd = socket_listen(c->ip, 0, SOMAXCONN);
	if (c->listen_fd < 0 ||
	    getsockname(c->listen_fd, (struct sockaddr *)&at, &size) < 0)
		return err_printf(err, "check=full: no port to listen on at %s",
				  c->ip);
	/* In the same place for both families */
	c->port = ntohs(((struct sockaddr_in *)&at)->sin_port);
	return 0;
}

/* Nobody connects any more in this round. */
static void stop_listening(struct check *c)
{
	if (c->listen_fd >= 0)
		close(c->listen_fd);
	c->listen_fd = -1;
}

static void has_measured(void *arg, const struct pair_figure *figure)
{
	struct launch *l = arg;
	struct check *c = l->view.check;
	char text[64], name[HOSTLIST_NAME_MAX] = "?";

	if (l->plan.job->nodes)
		hostlist_nth(l->plan.job->nodes, c->other, name);
	text_add(c->found, sizeof(c->found), ", ", "%.1f MB/s with %.64s",
		 figure->rate / 1e6, name);
	pair_talk_close(&c->talk);
	snprintf(text, sizeof(text), "%u %.0f %u", c->stage, figure->rate,
		 figure->again);
	tell(l, text);
}

/* What only the two of them know in this stage; `who` is who says it. */
static int make_word(const struct launch *l, unsigned who, unsigned to,
		     char ret[PAIR_WORD_SIZE], struct err *err)
{
	char purpose[80], word[SEAL_WORD_SIZE];

	snprintf(purpose, sizeof(purpose), "check %u.%u %u to %u", l->job.round,
		 l->view.check->stage, who, to);
	if (session_secret(l->view.session, purpose, word, err) < 0)
		return -1;
	memset(ret, 0, PAIR_WORD_SIZE);
	memcpy(ret, word, sizeof(word));
	return 0;
}

/* STAGE OTHER [IP PORT] */
static int measure(struct launch *l, const char *text, struct err *err)
{
	struct check *c = l->view.check;
	unsigned own = own_place(l);
	int n = sscanf(text, "%u %u %63s %u", &c->stage, &c->other, c->pair.ip,
		       &c->pair.port);

	if (n != 2 && n != 4)
		return 0;
	c->pair.listen_fd = n == 2 ? c->listen_fd : -1;
	if (make_word(l, own, c->other, c->pair.say, err) < 0 ||
	    make_word(l, c->other, own, c->pair.expect, err) < 0)
		return -1;
	pair_talk_close(&c->talk);
	c->talk.loop = &l->loop;
	c->talk.done = has_measured;
	c->talk.arg = l;
	return pair_talk_begin(&c->talk, &c->pair, err);
}

/* --- the phase --- */

static int open_check(struct launch *l)
{
	struct check *c;

	if (l->view.check)
		return 0;
	c = l->view.check = calloc(1, sizeof(*c));
	if (!c)
		return -1;
	c->listen_fd = -1;
	c->well_at = PLACE_NONE;
	strcpy(c->ip, "-");
	return 0;
}

static enum phase_state begin(struct launch *l, struct err *err)
{
	if (l->job.localid)
		return PHASE_DONE; /* another launcher of this node looks */
	if (launch_no_channel(l) && is_full(l)) {
		err_printf(err,
			   "check=full: the launchers of the step can't reach "
			   "each other: %s; check=fast looks at each node "
			   "alone",
			   launch_no_channel(l));
		common_fault_say(l, err);
		return PHASE_WAITS;
	}
	if (open_check(l) < 0)
		return err_memory(err);
	if (listen_for_pairs(l, err) < 0)
		return PHASE_FAILED;
	*l->view.check->found = '\0';
	l->view.check->began_ms = loop_now_ms();
	if (l->view.check->well_at == own_place(l))
		tell_facts(l, false, "");
	else if (look(l, err) < 0)
		return PHASE_FAILED;
	return PHASE_WAITS;
}

/* One line of the record, by each node that has looked or measured. */
static void note_found(struct launch *l)
{
	char *found = l->view.check->found,
	     more[sizeof(l->view.check->found) + 16];

	if (!*found)
		return;
	snprintf(more, sizeof(more), ",\"found\":\"%s\"", found);
	note_mark(l, l->job.round, MARK_CHECK, l->job.node_name, more);
	*found = '\0';
}

/* ROUND TEXT */
static enum phase_state message(struct launch *l, const char *data, size_t n,
				struct err *err)
{
	long round;

	(void)n;
	if (!l->view.check || message_number(&data, 0, INT_MAX, &round) < 0 ||
	    round != l->job.round)
		return PHASE_WAITS;
	if (strcmp(data, "0") != 0)
		return measure(l, data, err) < 0 ? PHASE_FAILED : PHASE_WAITS;
	l->view.check->well_at = own_place(l);
	stop_listening(l->view.check);
	note_found(l);
	return PHASE_DONE;
}

static void leave(struct launch *l)
{
	if (!l->view.check)
		return;
	note_found(l);
	node_look_close(&l->view.check->look);
	pair_talk_close(&l->view.check->talk);
	stop_listening(l->view.check);
}

static void end(struct launch *l)
{
	struct check *c = l->view.check;

	leave(l);
	free(c);
	l->view.check = NULL;
}

const struct phase check_phase = {
	.name = "check",
	.wanted = check_is_wanted,
	.begin = begin,
	.takes = MSG_CHECKED,
	.message = message,
	.leave = leave,
	.end = end,
	.meets = true,
	.each_world = true,
};
