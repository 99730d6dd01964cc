/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/services/bundled_server.h"

#include "sys/child.h"
#include "sys/helper_path.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* "python", "python3", "/venv/bin/python3.11" */
static bool is_python(const char *word)
{
	const char *slash = strrchr(word, '/');
	const char *name = slash ? slash + 1 : word;

	return !strncmp(name, "python", 6) &&
	       name[6 + strspn(name + 6, "0123456789.")] == '\0';
}

static const char *find_python(char *const command[])
{
	for (; *command; command++)
		if (is_python(*command))
			return *command;
	return "python3";
}

int bundled_server_command(const char *server, char *const command[],
			   const char *path, const char *addr, const char *port,
			   struct bundled_server *ret, struct err *err)
{
	const char *python = find_python(command);

	helper_path(server, ret->server);
	if (access(ret->server, R_OK) < 0)
		return err_printf(err,
				  "%s isn't there; install slurm-dist-train's "
				  "helpers",
				  ret->server);
	/* `conda run -n env python`: that python is in no PATH yet */
	if (child_find(python, path, ret->python, sizeof(ret->python)) < 0 &&
	    child_find("python3", path, ret->python, sizeof(ret->python)) < 0)
		return err_printf(err,
				  "no %s to start %s with; write python in "
				  "the command or put it into PATH",
				  python, server);
	ret->argv[0] = ret->python;
	ret->argv[1] = ret->server;
	ret->argv[2] = (char *)addr;
	ret->argv[3] = (char *)port;
	ret->argv[4] = NULL;
	return 0;
}
