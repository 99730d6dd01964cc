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
