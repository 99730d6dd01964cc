/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/auth/sack.h"

#include <stdio.h>
#include <unistd.h>

struct once {
	struct loop loop;
	char *token; /* SACK_TOKEN_MAX bytes for it; NULL: it is verified */
	struct err *err;
	int rc;
};

static void on_answer(void *arg, const char *token, const char *why)
{
	struct once *once = arg;

	once->rc = token ? 0 : err_printf(once->err, "%s", why);
	if (token && once->token)
		snprintf(once->token, SACK_TOKEN_MAX, "%s", token);
	loop_stop(&once->loop);
}

static int ask(struct once *once, struct sack *sack, const char *token)
{
	struct sack_call *call =
		token ? sack_verify(sack, token, on_answer, once)
		      : sack_create(sack, getuid(), "slurm-dist-train: doctor",
				    on_answer, once);
	struct err err;

	if (!call)
		return err_memory(once->err);
	if (loop_run(&once->loop, &err) == 0)
		return once->rc;
	sack_cancel(call);
	*once->err = err;
	return -1;
}

static int run(struct once *once, const struct auth *auth, const char *token)
{
	struct sack *sack;
	int rc = -1;

	if (loop_open(&once->loop, once->err) < 0)
		return -1;
	sack = sack_open(&once->loop, auth, once->err);
	if (sack)
		rc = ask(once, sack, token);
	sack_close(sack);
	loop_close(&once->loop);
	return rc;
}

int token_once_make(const struct auth *auth, char ret[SACK_TOKEN_MAX],
		    struct err *err)
{
	struct once once = {.token = ret, .err = err};

	return run(&once, auth, NULL);
}

int token_once_verify(const struct auth *auth, const char *token,
		      struct err *err)
{
	struct once once = {.err = err};

	return run(&once, auth, token);
}
