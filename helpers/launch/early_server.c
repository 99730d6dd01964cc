/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/launch/launch.h"

#include "sys/early/early_listener.h"

struct held {
	int fd;
	unsigned port;
	pid_t owner;
};

static int hold(const int fd[2], const void *arg)
{
	const struct held *held = arg;

	(void)fd;
	early_listener_hold(held->fd, held->port, held->owner);
	return 0;
}

void early_server_start(struct launch *l, const struct spawn *s)
{
	unsigned port = l->plan.coordinator.port;
	bool wanted =
		plan_listens_early(&l->plan, &s->process, &s->set, l->program);
	cleanup_close int fd = wanted ? early_listener_open(port) : -1;
	struct held held = {fd, port, l->procs.proc[s->index].pid};
	struct subprocess_spec spec = {
		.run = hold,
		.arg = &held,
		.flags = SUBPROCESS_NULL | SUBPROCESS_GROUP | SUBPROCESS_BESIDE,
		.keeps = fd,
	};
	struct subprocess sub;
	struct err unused;

	if (fd >= 0 && subprocess_start(&spec, &sub, &unused) == 0)
		subprocess_close(&sub);
}
