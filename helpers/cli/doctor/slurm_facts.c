/* SPDX-License-Identifier: Apache-2.0 */
/* On a node, and its issuer on the host too: what Slurm and its libraries
 * offer. Libraries are opened in a child: what they do or wait for stays there.
 */
#include "core/base/cleanup.h"
#include "helpers/auth/token_once.h"
#include "helpers/cli/doctor/doctor.h"
#include "sys/subprocess.h"

#include <dlfcn.h>
#include <munge.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#define CREDENTIAL_MAX 2048

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

typedef munge_err_t (*encode_fn)(char **, munge_ctx_t, const void *, int);
typedef munge_err_t (*decode_fn)(const char *, munge_ctx_t, void **, int *,
				 uid_t *, gid_t *);

/* A function of libmunge, which every node of Slurm has; or NULL. */
static void *munge_function(const char *name)
{
	void *lib = dlopen("libmunge.so.2", RTLD_NOW);

	return lib ? dlsym(lib, name) : NULL;
}

static void say_error(int out, munge_err_t why)
{
	const char *(*text)(munge_err_t) = NULL;

	*(void **)&text = munge_function("munge_strerror");
	dprintf(out, "error %s",
		text ? text(why) : "libmunge.so.2 isn't there");
}

static int encode_child(const int fd[2], const void *arg)
{
	munge_err_t why = EMUNGE_SNAFU;
	encode_fn encode = NULL;
	char *credential;

	(void)arg;
	*(void **)&encode = munge_function("munge_encode");
	if (encode)
		why = encode(&credential, NULL, NULL, 0);
	if (why == EMUNGE_SUCCESS)
		dprintf(fd[1], "%s", credential);
	else
		say_error(fd[1], why);
	return 0;
}

/* Nodes that share a munged, in a test, see it again: good enough. */
static int decode_child(const int fd[2], const void *arg)
{
	munge_err_t why = EMUNGE_SNAFU;
	decode_fn decode = NULL;
	uid_t uid;
	gid_t gid;

	*(void **)&decode = munge_function("munge_decode");
	if (decode)
		why = decode(arg, NULL, NULL, NULL, &uid, &gid);
	if (why == EMUNGE_SUCCESS || why == EMUNGE_CRED_REPLAYED)
		dprintf(fd[1], "ok");
	else
		say_error(fd[1], why);
	return 0;
}

char *doctor_munge_make(void)
{
	char text[CREDENTIAL_MAX];
	struct err err;

	if (subprocess_ask(encode_child, NULL, DOCTOR_CALL_MS, text,
			   sizeof(text), &err) < 0 ||
	    strncmp(text, "MUNGE:", 6) != 0)
		return NULL;
	return strdup(text);
}

void doctor_munge_check(const char *credential)
{
	char text[CREDENTIAL_MAX];
	struct err err;

	if (subprocess_ask(decode_child, credential, DOCTOR_CALL_MS, text,
			   sizeof(text), &err) < 0)
		doctor_tell("munge", "%.200s", err.text);
	else
		doctor_tell("munge", "%.200s",
			    strncmp(text, "error ", 6) ? text : text + 6);
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
