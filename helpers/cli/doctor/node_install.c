/* SPDX-License-Identifier: Apache-2.0 */
/* On a node: whether we are installed there, as on the others. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "core/facts/handover.h"
#include "helpers/cli/doctor/doctor.h"
#include "helpers/visit/step_find.h"
#include "sys/helper_path.h"

#include <fcntl.h>
#include <unistd.h>

#define LAUNCHER "dist-train-launch"

/* FNV-1a of the file: equal versions may be other builds. 0: it isn't there. */
static uint64_t digest(const char *path)
{
	cleanup_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t h = 14695981039346656037U;
	unsigned char buf[65536];
	ssize_t n;

	if (fd < 0)
		return 0;
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		for (ssize_t i = 0; i < n; i++)
			h = (h ^ buf[i]) * 1099511628211U;
	return h;
}

/* Where it is installed, or beside this program (a build). */
static bool find_launcher(char path[PATH_MAX])
{
	helper_path(LAUNCHER, path);
	if (access(path, X_OK) == 0)
		return true;
	helper_path_own("", NULL);
	helper_path(LAUNCHER, path);
	return access(path, X_OK) == 0;
}

static void look_plugin(const struct doctor_options *o)
{
	struct site_ports here;

	if (access(o->plugin, R_OK) < 0)
		doctor_tell("plugin", "%s isn't there", o->plugin);
	else if (o->plugstack && access(o->plugstack, R_OK) == 0 &&
		 site_ports_read(o->plugstack, &here) < 0)
		doctor_tell("plugin", "%s has no line for it", o->plugstack);
	else
		doctor_tell("plugin", "ok %016llx",
			    (unsigned long long)digest(o->plugin));
}

void doctor_look_install(const struct doctor_options *o)
{
	char installed[PATH_MAX], path[PATH_MAX];

	helper_path(LAUNCHER, installed);
	if (find_launcher(path))
		doctor_tell("helpers", "ok");
	else
		doctor_tell("helpers", "%s isn't there", installed);
	doctor_tell("build", "%d %s %016llx", HANDOVER_VERSION, PACKAGE_VERSION,
		    (unsigned long long)digest(path));
	if (o->plugin)
		look_plugin(o);
}
