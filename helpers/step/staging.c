/* SPDX-License-Identifier: Apache-2.0 */
/* The key stage: the controller's part (helpers/step/stage_hosts.h). */
#include "helpers/server/server.h"
#include "helpers/step/controller.h"
#include "helpers/step/stage_hosts.h"

#include <string.h>

static void on_tell(void *arg, unsigned member, const char *text)
{
	struct controller *c = arg;

	if (controller_node_of(c, member))
		server_tell(controller_server(c), member, MSG_STAGED, text,
			    strlen(text));
}

static int find_address(void *arg, unsigned member, char ret[IP_TEXT_SIZE])
{
	return server_address(controller_server(arg), member, ret);
}

static int open(struct controller *c, struct err *err)
{
	const struct stage_hosts_options options = {
		.n = c->members->ntasks,
		.tell = on_tell,
		.address = find_address,
		.arg = c,
	};

	c->stage = stage_hosts_new(&options);
	return c->stage ? 0 : err_memory(err);
}

static void close_stage(struct controller *c)
{
	stage_hosts_free(c->stage);
	c->stage = NULL;
}

static void note(void *arg, unsigned member, const char *text)
{
	const struct controller *c = arg;

	if (c->stage)
		stage_hosts_note(c->stage, member, text);
}

static void lost(struct controller *c, unsigned member)
{
	if (c->stage)
		stage_hosts_lost(c->stage, member);
}

static bool is_wanted(const struct plan *plan)
{
	return plan->resolved.stages;
}

const struct step_part staging_of_step = {
	.name = "staging",
	.wanted = is_wanted,
	.open = open,
	.close = close_stage,
	.told = (const struct subscription[]){{.type = MSG_STAGE, .take = note},
					      {0}},
	.lost = lost,
};
