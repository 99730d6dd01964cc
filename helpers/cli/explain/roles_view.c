/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/explain/roles_view.h"

#include "core/base/env_secret.h"
#include "core/base/hostlist.h"
#include "core/base/text.h"
#include "registry/role_options.h"
#include "sys/child.h"
#include "sys/text_file.h"

#include <stdlib.h>

void roles_view_clear(struct roles_view *view)
{
	role_plan_clear(&view->plan);
	role_file_clear(&view->file);
	hostnames_free(view->node);
	free(view->text);
	*view = (struct roles_view){0};
}

int roles_view_make(char *const *command, const struct config *config,
		    const struct dryrun *step, struct roles_view *ret,
		    struct err *err)
{
	int argc = 0;

	while (command && command[argc])
		argc++;
	if (role_program_read(argc, command, text_file_read, own_env, NULL,
			      config, &ret->text, &ret->file, err) < 0 ||
	    role_plan_make(&ret->file, step->nnodes, step->devices, &ret->plan,
			   err) < 0)
		return -1;
	role_order(&ret->file, ret->order);
	ret->node = hostnames_make(step->nodes, step->nnodes);
	return ret->node ? 0 : err_memory(err);
}

char *roles_nodes(const struct roles_view *view, const struct role_world *world)
{
	return hostnames_text(view->node + world->node, world->nnodes);
}

const char *roles_devices(const struct roles_view *view,
			  const struct role_world *world,
			  char buf[ROLES_DEVICES_SIZE])
{
	unsigned n = role_world_devices(&view->plan, world, 0);
	unsigned first = world->device;

	*buf = '\0';
	if (n)
		text_add(buf, ROLES_DEVICES_SIZE, "", "%u", first);
	if (n > 1)
		text_add(buf, ROLES_DEVICES_SIZE, "-", "%u", first + n - 1);
	return buf;
}

int roles_command(const struct roles_view *view, unsigned role,
		  char ret[ROLES_COMMAND_SIZE], struct err *err)
{
	const struct role_names names = {
		.plan = &view->plan,
		.world = view->plan.first[role],
		.lookup = own_env,
	};
	char **argv = role_command(&names, err);

	if (!argv)
		return -1;
	env_secret_command(argv, ret, ROLES_COMMAND_SIZE);
	role_command_free(argv);
	return 0;
}
