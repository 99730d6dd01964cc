/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The step's secret. srun makes it and seals it with MUNGE (secret_make), or
 * where Slurm's own authentication is the cluster's, only says so; on
 * each node the plugin opens it as the user, once for all tasks
 * (secret_unseal), and each passes it to its launcher in a pipe
 * (secret_into_pipe). libmunge is the copy that Slurm has loaded already, so
 * the plugin links with libc alone.
 */
#include "spank/slurm/secret.h"

#include "spank/slurm/slurmctld.h"

#include <dlfcn.h>
#include <errno.h>
#include <munge.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/uio.h>
#include <unistd.h>

/* The step's secret, or why there is none. */
static struct {
	struct handover_sealed sealed;
	bool there;
	bool asked_for;		  /* srun has told for this step that it is */
	char word[AUTH_WORD_MAX]; /* by which launchers meet, where no srun
				     has told and it isn't MUNGE */
	struct err fault;
} opened;

static struct {
	__typeof__(&munge_encode) encode;
	__typeof__(&munge_decode) decode;
	__typeof__(&munge_ctx_create) ctx_create;
	__typeof__(&munge_ctx_destroy) ctx_destroy;
	__typeof__(&munge_ctx_set) ctx_set;
	__typeof__(&munge_strerror) strerror;
} munge;

void secret_find_munge(void)
{
	void *lib = dlopen("libmunge.so.2", RTLD_LAZY | RTLD_NOLOAD);

	if (!lib || munge.encode)
		return;
	munge.decode = dlsym(lib, "munge_decode");
	munge.ctx_create = dlsym(lib, "munge_ctx_create");
	munge.ctx_destroy = dlsym(lib, "munge_ctx_destroy");
	munge.ctx_set = dlsym(lib, "munge_ctx_set");
	munge.strerror = dlsym(lib, "munge_strerror");
	if (munge.decode && munge.ctx_create && munge.ctx_destroy &&
	    munge.ctx_set && munge.strerror)
		munge.encode = dlsym(lib, "munge_encode");
}

static int no_munge(struct err *err)
{
	return err_printf(err, "Slurm doesn't use MUNGE on this cluster");
}

/* A context for munged at the place that slurm.conf names; NULL: MUNGE's own
 * defaults. */
static munge_ctx_t make_context(void)
{
	cleanup_free char *socket = slurmctld_munge_socket();
	munge_ctx_t ctx = munge.ctx_create();

	if (ctx && socket)
		munge.ctx_set(ctx, MUNGE_OPT_SOCKET, socket);
	return ctx;
}

static int encode(munge_ctx_t ctx, const struct handover_sealed *sealed,
		  char **ret, struct err *err)
{
	munge_err_t why;

	munge.ctx_set(ctx, MUNGE_OPT_UID_RESTRICTION, getuid());
	munge.ctx_set(ctx, MUNGE_OPT_TTL, MUNGE_TTL_MAXIMUM);
	why = munge.encode(ret, ctx, sealed, sizeof(*sealed));
	if (why != EMUNGE_SUCCESS)
		return err_printf(err, "MUNGE: %s", munge.strerror(why));
	return 0;
}

/* A credential with it; NULL on failure. */
static char *seal(const char *id, const struct handover_secret *secret,
		  struct err *err)
{
	struct handover_sealed sealed = {.secret = *secret};
	char *credential = NULL;
	munge_ctx_t ctx;

	if (!munge.encode) {
		no_munge(err);
		return NULL;
	}
	snprintf(sealed.id, sizeof(sealed.id), "%s", id);
	ctx = make_context();
	if (!ctx)
		err_memory(err);
	else
		encode(ctx, &sealed, &credential, err);
	munge.ctx_destroy(ctx);
	explicit_bzero(&sealed, sizeof(sealed));
	return credential;
}

char *secret_seal(const char *id, const struct handover_secret *secret,
		  struct err *err)
{
	char word[AUTH_WORD_MAX];
	struct auth auth;

	slurmctld_auth(&auth);
	auth_write(&auth, word);
	return *word ? strdup(word) : seal(id, secret, err);
}

char *secret_make(const char *id, struct handover_secret *ret, struct err *err)
{
	if (getrandom(ret, sizeof(*ret), GRND_NONBLOCK) == sizeof(*ret))
		return secret_seal(id, ret, err);
	err_printf(err, "no random bytes: %s", strerror(errno));
	return NULL;
}

bool secret_is_asked_for(const char *credential)
{
	struct auth unused;

	return auth_read(credential, &unused);
}

void secret_to_be_asked_for(void)
{
	opened.asked_for = true;
}

int secret_by_asking(const char *credential, char ret[AUTH_WORD_MAX],
		     struct err *err)
{
	if (!opened.asked_for)
		return err_printf(err, "it was made for another step");
	snprintf(ret, AUTH_WORD_MAX, "%s", credential);
	return 0;
}

void secret_to_be_met(void)
{
	struct auth auth;

	slurmctld_auth(&auth);
	auth_write(&auth, opened.word);
}

void secret_by_meeting(char ret[AUTH_WORD_MAX])
{
	snprintf(ret, AUTH_WORD_MAX, "%s", opened.word);
}

bool secret_needs_socket(void)
{
	return opened.asked_for || *opened.word;
}

/* Nodes may share a munged and decode the same credential, so "replayed" is
 * normal, and clocks may differ, so "rewound" is too: the credential carries a
 * key, not a request. MUNGE still checks that the user is the right one. */
static bool is_good(munge_err_t why)
{
	return why == EMUNGE_SUCCESS || why == EMUNGE_CRED_REPLAYED ||
	       why == EMUNGE_CRED_REWOUND;
}

static int unseal(const char *credential, uid_t user,
		  struct handover_sealed *ret, struct err *err)
{
	munge_ctx_t ctx = make_context();
	void *data = NULL;
	int len = 0, rc = 0;
	munge_err_t why;
	uid_t uid;
	gid_t gid;

	if (!ctx)
		return err_memory(err);
	why = munge.decode(credential, ctx, &data, &len, &uid, &gid);
	munge.ctx_destroy(ctx);
	if (!is_good(why))
		rc = err_printf(err, "MUNGE: %s", munge.strerror(why));
	else if (uid != user || len != sizeof(*ret))
		rc = err_printf(err, "it was made by another user");
	else
		memcpy(ret, data, sizeof(*ret));
	if (data)
		explicit_bzero(data, (size_t)len);
	free(data);
	return rc;
}

void secret_unseal(const char *credential, uid_t user)
{
	opened.fault = (struct err){0};
	opened.there = munge.encode ? unseal(credential, user, &opened.sealed,
					     &opened.fault) == 0
				    : no_munge(&opened.fault) == 0;
}

void secret_forget(void)
{
	explicit_bzero(&opened, sizeof(opened));
}

static int into_pipe(const struct handover_sealed *sealed,
		     const char *credential, struct err *err)
{
	size_t n = strnlen(credential, CREDENTIAL_SIZE);
	const struct iovec parts[] = {
		{(void *)&sealed->secret, sizeof(sealed->secret)},
		{(void *)credential, n < CREDENTIAL_SIZE ? n : 0},
	};
	int fds[2];

	if (pipe(fds) < 0)
		return err_printf(err, "can't make a pipe: %s",
				  strerror(errno));
	if (writev(fds[1], parts, 2) !=
	    (ssize_t)(parts[0].iov_len + parts[1].iov_len)) {
		close(fds[0]);
		fds[0] = err_printf(err, "can't write the secret to a pipe");
	}
	close(fds[1]);
	return fds[0];
}

int secret_into_pipe(const char *id, const char *credential, struct err *err)
{
	int fd;

	if (!opened.there)
		return err_printf(err, "%s",
				  *opened.fault.text ? opened.fault.text
						     : "it wasn't decoded");
	if (strncmp(opened.sealed.id, id, sizeof(opened.sealed.id)) != 0)
		fd = err_printf(err, "it was made for another step");
	else
		fd = into_pipe(&opened.sealed, credential, err);
	secret_forget();
	return fd;
}
