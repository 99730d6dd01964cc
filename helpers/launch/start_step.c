/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/launch/launch.h"

#include "core/facts/handover.h"
#include "registry/registry.h"
#include "sys/helper_path.h"
#include "sys/orphans.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PROGRAM "dist-train-step"

struct wanted {
	const char *path;
	int listen_fd;
	char *const *command; /* the user's */
	bool keepers;
};

static char *make_number(int n)
{
	char *text;

	return asprintf(&text, "%d", n) < 0 ? NULL : text;
}

/* In the fork. It has the facts that this launcher has, by the same names; what
 * the user preloads is for his program. */
static int become(const int fd[2], const void *arg)
{
	const struct wanted *w = arg;
	char *port = make_number(w->listen_fd), *pipe = make_number(fd[0]);
	unsigned n = 0;
	char **argv;

	while (w->command[n])
		n++;
	argv = calloc(n + 4, sizeof(*argv));
	if (!port || !pipe || !argv || dup2(fd[1], STDOUT_FILENO) < 0)
		return 126;
	argv[0] = (char *)PROGRAM;
	argv[1] = port;
	argv[2] = (char *)"--";
	for (unsigned i = 0; i < n; i++)
		argv[3 + i] = w->command[i];
	fcntl(w->listen_fd, F_SETFD, 0);
	fcntl(fd[0], F_SETFD, 0);
	setenv(HANDOVER_SECRET, pipe, 1);
	if (w->keepers)
		setenv(HANDOVER_KEEPERS, "here", 1); /* taken */
	unsetenv(PRELOAD_VARIABLE);
	execv(w->path, argv);
	return 127;
}

int start_step(void *arg, int listen_fd, struct subprocess *ret,
	       struct err *err)
{
	const struct launch *l = arg;
	char path[PATH_MAX];
	struct wanted wanted = {
		.listen_fd = listen_fd,
		.command = l->argv,
		.keepers = l->job.keepers,
	};
	const struct subprocess_spec spec = {
		.run = become,
		.arg = &wanted,
		.flags = SUBPROCESS_IN | SUBPROCESS_OUT | SUBPROCESS_GROUP,
	};

	helper_path(PROGRAM, path);
	if (access(path, X_OK) < 0)
		return err_printf(err, "%s isn't there", path);
	wanted.path = path;
	if (subprocess_start(&spec, ret, err) < 0)
		return -1;
	orphans_spare(ret->pid);
	return 0;
}

char *step_facts(void *arg, size_t *ret_n)
{
	const struct launch *l = arg;
	cleanup_free char *folder = getcwd(NULL, 0);
	char *text;

	if (l->job.keepers)
		setenv(HANDOVER_KEEPERS, "here", 1); /* they were taken */
	if (folder)
		setenv(HANDOVER_FOLDER, folder, 1);
	text = handed_text(environ, l->argv, ret_n);
	unsetenv(HANDOVER_KEEPERS);
	unsetenv(HANDOVER_FOLDER);
	return text;
}
