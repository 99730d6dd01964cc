/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All of our programs in one, statically linked, for clusters on which nothing
 * of ours is installed: which it is, the name says by which it is started. It
 * is a file that needs no other one; what Python runs, and profiles, are in a
 * folder beside its own. `make static-bundle` and `make wheel` make it.
 */
#include "helpers/bundle/host_names.h"
#include "helpers/bundle/mains.h"
#include "sys/helper_path.h"

#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define AS "--as="

static const struct applet {
	const char *name;
	int (*main)(int argc, char **argv);
} applets[] = {
	{"dist-train-launch", launch_main},
	{"dist-train-step", step_main},
	{"dist-train-roles", roles_main},
	{"dist-train-rsh", rsh_main},
	{"ssh", rsh_main},
	{"dist-train-horovodrun", horovodrun_main},
	{"horovodrun", horovodrun_main},
	{"dist-train-ps", ps_main},
	{"ps", ps_main},
};

static const struct applet *find_applet(const char *name)
{
	for (size_t i = 0; i < sizeof(applets) / sizeof(*applets); i++)
		if (!strcmp(applets[i].name, name))
			return &applets[i];
	return NULL;
}

static bool is_applet(const char *name)
{
	return find_applet(name);
}

/* Beside bin, or in what uv keeps of a wheel, to which its links may lead. */
static void find_helpers(void)
{
	char path[PATH_MAX];

	helper_path_own("/../data/share/slurm-dist-train", is_applet);
	helper_path("profiles", path);
	if (access(path, F_OK) < 0)
		helper_path_own("/../share/slurm-dist-train", is_applet);
}

/* By the name of the command, or by a first argument where only a path could be
 * given (sys/helper_path.h), which is taken away. */
static const struct applet *choose(int *argc, char ***argv)
{
	const char *word = *argc > 1 ? (*argv)[1] : "";
	const char *slash = strrchr((*argv)[0], '/');

	if (strncmp(word, AS, strlen(AS)) != 0)
		return find_applet(slash ? slash + 1 : (*argv)[0]);
	(*argc)--;
	(*argv)++;
	return find_applet(word + strlen(AS));
}

int main(int argc, char **argv)
{
	const struct applet *applet = argc ? choose(&argc, &argv) : NULL;

	host_names_by_own_means();
	find_helpers();
	if (!applet)
		return cli_main(argc, argv);
	prctl(PR_SET_NAME, applet->name);
	return applet->main(argc, argv);
}
