/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/launch/check_phase/check.h"

#include "core/base/hostlist.h"
#include "core/base/text.h"
#include "core/facts/places.h"
#include "helpers/check/node_look.h"
#include "helpers/check/pair_talk.h"
#include "helpers/part/launch_tell.h"
#include "helpers/part/launch_view.h"
#include "helpers/part/note.h"
#include "helpers/part/part.h"
#include "helpers/part/phase.h"
#include "sys/epoch.h"
#include "sys/socket.h"

#include <arpa/inet.h>
#include <limits.h>
#include <stdio.h>
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
	bool looks;	 /* the launcher that does so for its node */
};

bool check_is_wanted(const struct plan *plan)
{
	return plan->resolved.check != CHECK_OFF;
}

/* NULL: this step has no check. */
static struct check *check_of(const struct launch_view *v)
{
	return own_of(v->launch, &check_phase);
}

static bool is_full(const struct launch_view *v)
{
	return v->plan->resolved.check == CHECK_FULL;
}

static unsigned own_place(const struct launch_view *v)
{
	return v->plan->job->place;
}

static void tell(struct launch_view *v, const char *text)
{
	cleanup_free char *message = NULL;

	if (asprintf(&message, "%u %u %s", v->job->round, own_place(v), text) <
	    0)
		launch_fail(v->launch, "out of memory");
	else
		launch_send(v->launch, MSG_CHECK, message);
}

/* --- this node --- */

static void tell_facts(struct launch_view *v, bool is_new, const char *facts)
{
	const struct check *c = check_of(v);
	cleanup_free char *text = NULL;

	if (asprintf(&text, "0 %d %lld %s %u\n%s", is_new,
		     (long long)epoch_ms(), c->ip, c->port, facts) < 0)
		launch_fail(v->launch, "out of memory");
	else
		tell(v, text);
}

static void has_looked(void *arg, const char *facts)
{
	struct launch_view *v = arg;
	struct check *c = check_of(v);

	snprintf(c->found, sizeof(c->found), "looked at in %.1f s",
		 (double)(loop_now_ms() - c->began_ms) / 1000);
	tell_facts(v, true, facts);
	node_look_close(&c->look);
}

/* A task that has devices of its own may not see the others of its node. */
int check_gpus_given(const struct launch_view *v)
{
	const struct device_facts *devices = &v->job->devices;
	unsigned n = devices->task.n ? devices->task.n : device_count(devices);

	return v->plan->resolved.npu || !n ? -1 : (int)n;
}

static int look(struct launch_view *v, struct err *err)
{
	struct check *c = check_of(v);

	c->wish = (struct node_look_wish){
		.gpus = check_gpus_given(v),
		.run_dir = *v->run_dir->path ? v->run_dir->path : NULL,
		.program = request_text(v->request, KEY_CHECK_PROGRAM),
		.program_ms =
			(int)request_seconds(v->request, KEY_TIMEOUT) * 1000,
	};
	if (v->plan->resolved.npu)
		c->wish.npus = v->npus->own;
	c->look.loop = v->loop;
	c->look.done = has_looked;
	c->look.arg = v;
	return node_look_begin(&c->look, &c->wish, err);
}

/* --- with another node --- */

/* The address by which ranks of other nodes reach this one. */
static int find_own_address(const struct launch_view *v, char *ret, size_t size)
{
	const struct job *job = v->plan->job;
	struct sockaddr_storage first;

	if (job->own_addr || !job->place)
		snprintf(ret, size, "%s",
			 job->own_addr ? job->own_addr : job->rank0_addr);
	else if (host_address(job->rank0_addr, &first) < 0 ||
		 host_address_towards(&first, ret, (unsigned)size) < 0)
		return -1;
	return 0;
}

static int listen_for_pairs(struct launch_view *v, struct err *err)
{
	struct check *c = check_of(v);
	struct sockaddr_storage at;
	socklen_t size = sizeof(at);

	if (!is_full(v) || v->plan->job->nnodes == 1 || c->listen_fd >= 0)
		return 0;
	if (!v->plan->job->rank0_addr ||
	    find_own_address(v, c->ip, sizeof(c->ip)) < 0)
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
	close_fd(&c->listen_fd);
}

static void has_measured(void *arg, const struct pair_figure *figure)
{
	struct launch_view *v = arg;
	struct check *c = check_of(v);
	char text[64], name[HOSTLIST_NAME_MAX] = "?";

	if (v->plan->job->nodes)
		hostlist_nth(v->plan->job->nodes, c->other, name);
	text_add(c->found, sizeof(c->found), ", ", "%.1f MB/s with %.64s",
		 figure->rate / 1e6, name);
	pair_talk_close(&c->talk);
	snprintf(text, sizeof(text), "%u %.0f %u", c->stage, figure->rate,
		 figure->again);
	tell(v, text);
}

/* What only the two of them know in this stage; `who` is who says it. */
static int make_word(const struct launch_view *v, unsigned who, unsigned to,
		     char ret[PAIR_WORD_SIZE], struct err *err)
{
	char purpose[80], word[SEAL_WORD_SIZE];

	snprintf(purpose, sizeof(purpose), "check %u.%u %u to %u",
		 v->job->round, check_of(v)->stage, who, to);
	if (session_secret(v->session, purpose, word, err) < 0)
		return -1;
	memset(ret, 0, PAIR_WORD_SIZE);
	memcpy(ret, word, sizeof(word));
	return 0;
}

/* STAGE OTHER [IP PORT] */
static int measure(struct launch_view *v, const char *text, struct err *err)
{
	struct check *c = check_of(v);
	unsigned own = own_place(v);
	int n = sscanf(text, "%u %u %63s %u", &c->stage, &c->other, c->pair.ip,
		       &c->pair.port);

	if (n != 2 && n != 4)
		return 0;
	c->pair.listen_fd = n == 2 ? c->listen_fd : -1;
	if (make_word(v, own, c->other, c->pair.say, err) < 0 ||
	    make_word(v, c->other, own, c->pair.expect, err) < 0)
		return -1;
	pair_talk_close(&c->talk);
	c->talk.loop = v->loop;
	c->talk.done = has_measured;
	c->talk.arg = v;
	return pair_talk_begin(&c->talk, &c->pair, err);
}

/* --- the phase --- */

static void open_check(struct check *c)
{
	if (c->looks)
		return;
	c->looks = true;
	c->listen_fd = -1;
	c->well_at = PLACE_NONE;
	strcpy(c->ip, "-");
}

static enum phase_state begin(struct launch *l, struct err *err)
{
	struct launch_view *v = launch_view(l);
	struct check *c = check_of(v);

	if (v->job->localid)
		return PHASE_DONE; /* another launcher of this node looks */
	open_check(c);
	if (listen_for_pairs(v, err) < 0)
		return PHASE_FAILED;
	*c->found = '\0';
	c->began_ms = loop_now_ms();
	if (c->well_at == own_place(v))
		tell_facts(v, false, "");
	else if (look(v, err) < 0)
		return PHASE_FAILED;
	return PHASE_WAITS;
}

/* One line of the record, by each node that has looked or measured; before it
 * tells that its processes have ended. */
static void note_found(struct launch_view *v)
{
	struct check *c = check_of(v);
	char *found = c->found;
	char more[sizeof(c->found) + 16];

	if (!*found)
		return;
	snprintf(more, sizeof(more), ",\"found\":\"%s\"", found);
	note_mark(v->launch, v->job->round, MARK_CHECK, v->job->node_name,
		  more);
	*found = '\0';
}

/* ROUND TEXT */
static enum phase_state message(struct launch *l, const char *data, size_t n,
				struct err *err)
{
	struct launch_view *v = launch_view(l);
	long round;

	(void)n;
	if (message_number(&data, 0, INT_MAX, &round) < 0 ||
	    round != v->job->round)
		return PHASE_WAITS;
	if (strcmp(data, "0") != 0)
		return measure(v, data, err) < 0 ? PHASE_FAILED : PHASE_WAITS;
	check_of(v)->well_at = own_place(v);
	stop_listening(check_of(v));
	note_found(v);
	return PHASE_DONE;
}

static void leave(struct launch *l)
{
	struct launch_view *v = launch_view(l);
	struct check *c = check_of(v);

	if (!c->looks)
		return;
	note_found(v);
	node_look_close(&c->look);
	pair_talk_close(&c->talk);
	stop_listening(c);
}

const struct phase check_phase = {
	.name = "check",
	.wanted = check_is_wanted,
	.size = sizeof(struct check),
	.begin = begin,
	.takes = MSG_CHECKED,
	.message = message,
	.leave = leave,
	.end = leave,
	.meets = true,
	.each_world = true,
};

/* A round that ends while this node measures. */
static void leave_round(struct launch *l)
{
	if (check_of(launch_view(l)))
		note_found(launch_view(l));
}

const struct part check_part = {
	.name = "check",
	.wanted = check_is_wanted,
	.leave = leave_round,
};
