/* SPDX-License-Identifier: Apache-2.0 */
/* On a node, and its issuer on the host too: what Slurm and its libraries
 * offer. A library is opened in a child: what it does or waits for stays there;
 * who vouches for users is asked as launchers ask (helpers/auth). */
#include "helpers/auth/munge.h"
#include "helpers/auth/sack.h"
#include "helpers/cli/doctor/doctor.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* In place of a step's name: nothing is in that credential. */
#define FOR_DOCTOR "doctor"

/* Slurm 22.05's plugin opens the name without a version. */
static int load_pmix(const int fd[2], const void *arg)
{
	(void)arg;
	if (dlopen("libpmix.so.2", RTLD_LAZY) ||
	    dlopen("libpmix.so", RTLD_LAZY))
		dprintf(fd[1], "yes");
	return 0;
}

/* In any folder of a list with colons. */
static bool has_plugin(const char *dirs)
{
	cleanup_free char *copy = strdup(dirs);
	char path[4096], *save = NULL;

	for (char *dir = copy ? strtok_r(copy, ":", &save) : NULL; dir;
	     dir = strtok_r(NULL, ":", &save)) {
		snprintf(path, sizeof(path), "%s/mpi_pmix.so", dir);
		if (!access(path, R_OK))
			return true;
	}
	return false;
}

void doctor_look_slurm(const struct doctor_options *o)
{
	char said[64];
	struct err err;

	if (!o->plugindir || !*o->plugindir)
		return;
	if (subprocess_ask(load_pmix, NULL, DOCTOR_CALL_MS, said, sizeof(said),
			   &err) < 0)
		*said = '\0';
	doctor_tell("pmix", "%s %s", has_plugin(o->plugindir) ? "yes" : "no",
		    strcmp(said, "yes") == 0 ? "yes" : "no");
}

char *doctor_munge_make(struct err *err)
{
	static const unsigned char nothing[SECRET_SIZE];
	char *credential = munge_seal(FOR_DOCTOR, nothing, err);

	if (credential)
		credential[strcspn(credential, "\n")] = '\0';
	return credential;
}

void doctor_munge_check(const char *credential)
{
	unsigned char nothing[SECRET_SIZE];
	struct err err;

	if (munge_open(credential, FOR_DOCTOR, nothing, &err) == 0)
		doctor_tell("munge", "ok");
	else
		doctor_tell("munge", "%s", err.text);
}

void doctor_token_check(const char *uid, const char *cluster, const char *token)
{
	struct auth auth = {.by_slurm = true};
	struct err err;

	auth.slurm_user = (uid_t)strtoul(uid, NULL, 10);
	snprintf(auth.cluster, sizeof(auth.cluster), "%s", cluster);
	if (token_once_verify(&auth, token, &err) == 0)
		doctor_tell("token", "ok");
	else
		doctor_tell("token", "%s", err.text);
}
