/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/command.h"

#include <string.h>

#define COMMAND(name) extern const struct command name##_command;
#include "helpers/cli/commands.def"
#undef COMMAND

const struct command *const commands[] = {
#define COMMAND(name) &name##_command,
#include "helpers/cli/commands.def"
#undef COMMAND
	NULL,
};

const struct command *command_find(const char *name)
{
	for (const struct command *const *c = commands; *c; c++)
		if (!strcmp((*c)->name, name))
			return *c;
	return NULL;
}
