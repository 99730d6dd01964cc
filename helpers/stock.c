/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/stock.h"

#include "helpers/child.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_python(const char *program)
{
	const char *slash = strrchr(program, '/');

	return !strncmp(slash ? slash + 1 : program, "python", 6);
}

int stock_command(const char *server, const char *program, const char *path,
		  struct stock *ret, struct err *err)
{
	snprintf(ret->server, sizeof(ret->server), "%s/%s", PKGLIBEXECDIR,
		 server);
	if (access(ret->server, R_OK) < 0)
		return err_printf(err,
				  "server=stock: %s isn't there; install "
				  "slurm-dist-train's helpers",
				  ret->server);
	if (is_python(program))
		snprintf(ret->python, sizeof(ret->python), "%s", program);
	else if (child_find("python3", path, ret->python, sizeof(ret->python)) <
		 0)
		return err_printf(err, "server=stock: the program isn't a "
				       "Python, and there is no python3 in "
				       "PATH to start the server with");
	ret->argv[0] = ret->python;
	ret->argv[1] = ret->server;
	ret->argv[2] = NULL;
	return 0;
}
