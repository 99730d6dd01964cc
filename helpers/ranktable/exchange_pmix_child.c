/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/hostlist.h"
#include "core/base/text.h"
#include "helpers/ranktable/exchange_pmix.h"
#include "helpers/ranktable/pmix_client.h"
#include "helpers/ranktable/ranktable_shared.h"
#include "sys/left_signals.h"
#include "sys/text_file.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NODES_MAX    16	    /* named in a line */
#define FIRST_TURN_S 4	    /* the time in which task 0 has its say */
#define TURN_US	     250000 /* and each task after it */
#define TURNS	     20

/* The NUL after the text is sent too. */
static int send_message(int out, enum exchange_pmix_word word, const char *text)
{
	char c = (char)word;

	return write_full(out, &c, 1) < 0
		       ? -1
		       : write_full(out, text, strlen(text) + 1);
}

static int put_pieces(const struct exchange_pmix *x, struct pmix_client *c,
		      FILE *f, struct err *err)
{
	for (unsigned i = 0; i < x->plan->job->ntasks; i++) {
		struct pmix_piece piece;

		if (pmix_get(c, i, &piece, err) < 0)
			return -1;
		fwrite(piece.data, 1, piece.n, f);
		pmix_release(&piece);
	}
	return 0;
}

/* All pieces, in the order of ranks; this process's to free, or NULL. */
static char *join_pieces(const struct exchange_pmix *x, struct pmix_client *c,
			 struct err *err)
{
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);

	return text_stream_end(
		&stream, f ? put_pieces(x, c, f, err) : err_memory(err), err);
}

/* --- a task that doesn't come --- */

/* Everybody finds the same, and one line is enough: the first task that is
 * here says it, and its end is the end of the step before the next one's
 * turn. */
static void wait_for_turn(unsigned rank)
{
	if (!rank)
		return;
	sleep(FIRST_TURN_S);
	usleep((rank < TURNS ? rank : TURNS) * TURN_US);
}

static void put_nodes(struct pmix_client *c, const bool missing[], unsigned n,
		      FILE *f)
{
	char node[HOSTLIST_NAME_MAX], last[HOSTLIST_NAME_MAX] = "";
	unsigned nodes = 0;

	for (unsigned i = 0; i < n; i++) {
		if (!missing[i] ||
		    !strcmp(pmix_node(c, i, node, sizeof(node)), last))
			continue;
		if (nodes < NODES_MAX)
			fprintf(f, "%s%s", nodes ? "," : "", node);
		nodes++;
		strcpy(last, node);
	}
	if (nodes > NODES_MAX)
		fprintf(f, " and %u more", nodes - NODES_MAX);
}

static int name_missing(const struct exchange_pmix *x, struct pmix_client *c,
			long after_s, struct err *err)
{
	unsigned n = x->plan->job->ntasks, nmissing = 0;
	cleanup_free bool *missing = calloc(n, sizeof(*missing));
	char nodes[512] = "";
	FILE *f;

	if (!missing)
		return err_memory(err);
	wait_for_turn(pmix_rank(c));
	if (signal_is_pending(SIGTERM))
		return err_printf(err, "%s", ""); /* it was said */
	pmix_find_missing(c, missing, n);
	for (unsigned i = 0; i < n; i++)
		nmissing += missing[i];
	if (!nmissing)
		return err_printf(
			err,
			"exchange=pmix: all %u launchers have joined, but "
			"Slurm's PMIx servers don't finish within "
			"%ld s; SlurmdLogFile may say why",
			n, after_s);
	f = fmemopen(nodes, sizeof(nodes), "w");
	if (f) {
		put_nodes(c, missing, n, f);
		fclose(f);
	}
	return err_printf(err,
			  "exchange=pmix: after %ld s the launchers of %u of "
			  "%u tasks have not joined; they are on: %s",
			  after_s, nmissing, n, nodes);
}

static int fence(const struct exchange_pmix *x, struct pmix_client *c,
		 bool gather, struct err *err)
{
	long timeout_s = request_seconds(x->plan->request, KEY_TIMEOUT);
	int rc = pmix_fence(c, gather, (unsigned)timeout_s, err);

	return rc > 0 ? name_missing(x, c, timeout_s, err) : rc;
}

/* --- the whole --- */

/* Between the launcher's word and the last of a node's tasks: a program that
 * is a client itself must not meet the end of one of ours (openpmix #3931). */
static int leave(const struct exchange_pmix *x, struct pmix_client *c,
		 struct err *err)
{
	if (pmix_close(c, err) < 0)
		return -1;
	node_memory_wait(x->node_memory_fd, x->plan->job->local_ntasks);
	return 0;
}

static int exchange(const struct exchange_pmix *x, int in, int out,
		    const char *data, size_t n, struct err *err)
{
	struct pmix_client *c = pmix_open(err);
	cleanup_free char *facts = NULL;
	char word;

	if (!c || pmix_put(c, data, n, err) < 0 || fence(x, c, true, err) < 0)
		return -1;
	facts = join_pieces(x, c, err);
	if (!facts)
		return -1;
	if (send_message(out, PMIX_WORD_FACTS, facts) < 0 ||
	    read(in, &word, 1) != 1)
		return err_printf(err, "exchange=pmix: the launcher is gone");
	if (fence(x, c, false, err) < 0)
		return -1;
	return leave(x, c, err);
}

void exchange_pmix_child(const struct exchange_pmix *x, int in, int out,
			 const char *data, size_t n)
{
	struct err err;

	if (exchange(x, in, out, data, n, &err) == 0) {
		send_message(out, PMIX_WORD_GO, "");
		return;
	}
	send_message(out, PMIX_WORD_FAULT, err.text);
	/* Slurm ends a step when it loses a client, with words of its own: the
	 * launcher comes first. */
	pause();
}
