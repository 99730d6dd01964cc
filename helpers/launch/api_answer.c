/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The launcher of the first node sees when the program's API answers, where the
 * framework has one (struct framework, `api`), and says so once in each round:
 * one line, and an event of the timeline. It only looks, each second: no step
 * ends or waits because an API answers or doesn't.
 */
#include "core/base/ip.h"
#include "core/plan/framework.h"
#include "core/plan/serving.h"
#include "helpers/launch/launch.h"
#include "helpers/part/launch_tell.h"
#include "helpers/part/phase.h"
#include "helpers/procs/readiness.h"
#include "sys/socket.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define LOOPBACK "127.0.0.1"

struct api_answer {
	struct readiness waiting;
	struct api api;
	uint64_t since_ms;
};

static struct api_answer *answer_of(const struct launch *l)
{
	return own_of(l, &api_phase);
}

static bool is_any(const char *host)
{
	return !host || !*host || !strcmp(host, "0.0.0.0") ||
	       !strcmp(host, "::");
}

/* As another host reaches it, where it listens at all addresses. */
static const char *address(const struct launch *l)
{
	const struct plan *plan = &l->plan;
	const char *host = answer_of(l)->api.host;

	if (!is_any(host))
		return host;
	return plan->resolved.loopback ? l->job.node_name
				       : plan->coordinator.addr;
}

static void note(struct launch *l)
{
	struct timeline_who who;
	struct process first;
	struct err ignored;

	if (plan_process(&l->plan, 0, &first, &ignored) < 0)
		return;
	who = timeline_who(&l->plan, &first);
	timeline_event(&l->timeline, &who, PHASE_SERVING, "");
}

static void on_answer(void *arg)
{
	struct launch *l = arg;
	const struct api_answer *a = answer_of(l);
	char endpoint[ENDPOINT_SIZE], line[512];

	snprintf(line, sizeof(line),
		 "dist-train: %s answers at http://%s after %.1f s\n",
		 l->request.framework->name,
		 endpoint_format(address(l), a->api.port, endpoint),
		 (double)(loop_now_ms() - a->since_ms) / 1000);
	launch_say(l, line);
	note(l);
}

/* The kernel connects inside of a host at once. */
static bool is_taken(const char *ip, unsigned port)
{
	cleanup_close int fd = socket_connect(ip, port);
	struct sockaddr_storage peer;
	socklen_t size = sizeof(peer);

	return fd >= 0 && getpeername(fd, (struct sockaddr *)&peer, &size) == 0;
}

static void say_taken(struct launch *l)
{
	char line[512];

	snprintf(line, sizeof(line),
		 "dist-train: another server listens at port %u of %s already; "
		 "the program's own option --port N takes another port\n",
		 answer_of(l)->api.port, l->job.node_name);
	launch_say(l, line);
}

/* Where the host's name is unknown, nothing is looked at. */
static void look(struct launch *l)
{
	struct api_answer *a = answer_of(l);
	const char *host = is_any(a->api.host) ? LOOPBACK : a->api.host;
	struct err ignored;

	if (is_taken(host, a->api.port)) {
		say_taken(l);
		return;
	}
	a->since_ms = loop_now_ms();
	a->waiting.loop = &l->loop;
	a->waiting.ready = on_answer;
	a->waiting.arg = l;
	if (readiness_of_http(&a->waiting, host, a->api.port, "/health", 0,
			      &ignored) < 0)
		a->waiting.loop = NULL;
}

static void end(struct launch *l)
{
	struct api_answer *a = answer_of(l);

	readiness_end(&a->waiting);
	a->waiting.loop = NULL;
}

static enum phase_state begin(struct launch *l, struct err *err)
{
	struct api api;

	(void)err;
	if (!l->request.framework->api(&l->plan, &api))
		return PHASE_DONE;
	end(l); /* the round's before */
	*answer_of(l) = (struct api_answer){.api = api};
	look(l);
	return PHASE_DONE;
}

static bool is_wanted(const struct plan *plan)
{
	return plan->request->framework->api && plan->first_rank == 0 &&
	       plan->nprocs;
}

const struct phase api_phase = {
	.name = "API",
	.wanted = is_wanted,
	.size = sizeof(struct api_answer),
	.begin = begin,
	.leave = end,
	.end = end,
	.each_round = true,
};
