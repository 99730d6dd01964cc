/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A SPANK plugin that holds a step at its start. The variable DT_HOLD names a
 * folder. While that has a file step.NODE, slurmstepd of that node waits before
 * it makes a task; while it has task.NODE, the task waits before its program.
 * Who waits there says so by a file with the suffix .here.
 */
#include <fcntl.h>
#include <slurm/spank.h>
#include <stdio.h>
#include <unistd.h>

SPANK_PLUGIN(hold, 1)

static void hold(spank_t sp, const char *what)
{
	char folder[256], node[64], file[400], here[420];
	int fd;

	if (spank_getenv(sp, "DT_HOLD", folder, sizeof(folder)) ||
	    gethostname(node, sizeof(node)))
		return;
	snprintf(file, sizeof(file), "%s/%s.%s", folder, what, node);
	snprintf(here, sizeof(here), "%s.here", file);
	if (access(file, F_OK))
		return;
	fd = open(here, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd >= 0)
		close(fd);
	while (access(file, F_OK) == 0)
		usleep(20000);
}

int slurm_spank_user_init(spank_t sp, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	if (spank_remote(sp) == 1)
		hold(sp, "step");
	return 0;
}

int slurm_spank_task_init(spank_t sp, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	hold(sp, "task");
	return 0;
}
