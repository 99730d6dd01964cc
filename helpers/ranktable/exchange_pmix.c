/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/ranktable/exchange_pmix.h"

#include <stdlib.h>

bool exchange_pmix_is_here(void)
{
	return getenv("PMIX_NAMESPACE") && getenv("PMIX_RANK");
}

static void fail(struct exchange_pmix *x, const char *why)
{
	subprocess_close(&x->sub); /* it goes on waiting for its end */
	x->failed(x->arg, why);
}

/* What has come since the last call; NULL when out of memory. The caller's to
 * free. */
static char *take_message(struct exchange_pmix *x)
{
	int rc = x->stream ? fclose(x->stream) : -1;
	char *message = x->message;

	x->stream = NULL;
	x->message = NULL;
	if (rc == 0)
		return message;
	free(message);
	return NULL;
}

static void on_message(struct exchange_pmix *x, const char *message)
{
	switch ((enum exchange_pmix_word) * message) {
	case PMIX_WORD_FACTS:
		x->facts(x->arg, message + 1);
		break;
	case PMIX_WORD_GO:
		subprocess_close(&x->sub);
		x->go(x->arg);
		break;
	case PMIX_WORD_FAULT:
		fail(x, message + 1);
		break;
	case PMIX_WORD_READY:
		break;
	}
}

/* A message ends with NUL, and the next one isn't sent before an answer. */
static void on_output(void *arg, const char *data, size_t n)
{
	struct exchange_pmix *x = arg;
	cleanup_free char *message = NULL;

	if (!n) {
		fail(x, "exchange=pmix: the process that talks to PMIx was "
			"killed");
		return;
	}
	if (!x->stream)
		x->stream = open_memstream(&x->message, &x->size);
	if (x->stream)
		fwrite(data, 1, n, x->stream);
	if (data[n - 1])
		return;
	message = take_message(x);
	if (message)
		on_message(x, message);
	else
		fail(x, "exchange=pmix: out of memory");
}

struct piece {
	const struct exchange_pmix *x;
	const char *data;
	size_t n;
};

static int run_child(const int fd[2], const void *arg)
{
	const struct piece *p = arg;

	exchange_pmix_child(p->x, fd[0], fd[1], p->data, p->n);
	return 0;
}

int exchange_pmix_begin(struct exchange_pmix *x, const char *data, size_t n,
			struct err *err)
{
	const struct piece piece = {x, data, n};
	const struct subprocess_spec spec = {
		.run = run_child,
		.arg = &piece,
		.flags = SUBPROCESS_IN | SUBPROCESS_OUT | SUBPROCESS_SIGNALS,
	};

	if (subprocess_start(&spec, &x->sub, err) < 0)
		return -1;
	return subprocess_watch(&x->sub, x->loop, on_output, x, err);
}

void exchange_pmix_ready(struct exchange_pmix *x)
{
	char word = PMIX_WORD_READY;

	/* Reading finds out that a child is gone; SIGPIPE is ignored */
	(void)!write(x->sub.in, &word, 1);
}

void exchange_pmix_close(struct exchange_pmix *x)
{
	subprocess_close(&x->sub);
	free(take_message(x));
}
