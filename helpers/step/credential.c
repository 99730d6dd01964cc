/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MUNGE may be slow: a child asks it, and who has asked for the credential asks
 * again. It is made once for a step; where MUNGE refuses, strangers don't make
 * us ask it again and again.
 */
#include "helpers/step/query.h"

#include "helpers/auth/munge.h"
#include "helpers/conn/question.h"
#include "sys/text_file.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define AGAIN_MS 5000 /* after MUNGE has refused */

static int make(const int fd[2], const void *arg)
{
	const struct credential *a = arg;
	struct err err;
	char *text = munge_seal(a->id, a->secret, &err);
	int rc;

	if (!text)
		text = question_refusal(err.text);
	rc = text ? write_full(fd[1], text, strlen(text)) : -1;

	free(text);
	return rc < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

static void end(struct credential *a)
{
	if (!a->making)
		return;
	a->making = false;
	subprocess_kill(&a->maker, SIGKILL);
	subprocess_close(&a->maker);
}

/* Part of one counts only when it is whole. */
static void on_output(void *arg, const char *data, size_t n)
{
	struct credential *a = arg;

	if (n && a->n + n < sizeof(a->text)) {
		memcpy(a->text + a->n, data, n);
		a->n += n;
		return;
	}
	if (n)
		a->n = 0;
	a->text[a->n] = '\0';
	a->refused_ms =
		a->n && !question_is_refused(a->text) ? 0 : loop_now_ms();
	end(a);
}

/* It is time to ask again. */
static bool is_stale(const struct credential *a)
{
	return a->refused_ms && loop_now_ms() - a->refused_ms >= AGAIN_MS;
}

const char *credential_get(struct credential *a, struct loop *loop,
			   const char *id, const unsigned char *secret)
{
	struct subprocess_spec spec = {
		.run = make,
		.arg = a,
		.flags = SUBPROCESS_LOOKS,
	};
	struct err err;

	if (a->making)
		return NULL;
	if (!is_stale(a) && (a->n || a->refused_ms))
		return a->n ? a->text : NULL;
	a->n = 0;
	a->refused_ms = 0;
	a->loop = loop;
	a->id = id;
	a->secret = secret;
	if (subprocess_start(&spec, &a->maker, &err) < 0)
		return NULL;
	a->making = true;
	if (subprocess_watch(&a->maker, loop, on_output, a, &err) < 0)
		end(a);
	return NULL;
}

void credential_close(struct credential *a)
{
	end(a);
}
