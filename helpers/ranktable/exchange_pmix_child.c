/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/err.h"
#include "core/base/hostlist.h"
#include "core/base/text.h"
#include "helpers/ranktable/exchange_pmix.h"
#include "helpers/ranktable/ranktable_shared.h"
#include "sys/left_signals.h"
#include "sys/text_file.h"

#include <dlfcn.h>
#include <errno.h>
#include <pmix.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/*
 * This task as a client of the PMIx server that Slurm gave it. The library is
 * opened at run time, so that the launcher also starts where there is none.
 * Everything here may block or, for a moment, print: it is for a child.
 */

/* What that rank has published, borrowed until pmix_release(). */
struct pmix_piece {
	const char *data;
	size_t n;
	void *value; /* the library's */
};

#define KEY	    "dist-train"
#define DIAGNOSE_S  2 /* for those who have come to a fence to be heard */
#define TYPE_OF(fn) __typeof__(&(fn))
#define FUNCTIONS(x)                                                           \
	x(Init) x(Put) x(Commit) x(Fence_nb) x(Get) x(Get_nb) x(Finalize)      \
		x(Error_string)

struct pmix_client {
	pmix_proc_t own;
#define MEMBER(name) TYPE_OF(PMIx_##name) name;
	FUNCTIONS(MEMBER)
};

static int failed(const struct pmix_client *c, const char *what,
		  pmix_status_t status, struct err *err)
{
	return err_printf(err, "PMIx: %s: %s (%d)", what,
			  c->Error_string(status), status);
}

/* --- opening --- */

static int find_functions(struct pmix_client *c, void *library, struct err *err)
{
#define FIND(name)                                                             \
	c->name = (TYPE_OF(PMIx_##name))(uintptr_t)dlsym(library,              \
							 "PMIx_" #name);       \
	if (!c->name)                                                          \
		return err_printf(err, "libpmix has no function PMIx_" #name);
	FUNCTIONS(FIND)
	return 0;
}

static int load(struct pmix_client *c, struct err *err)
{
	void *library = dlopen("libpmix.so.2", RTLD_NOW | RTLD_GLOBAL);

	if (!library)
		library = dlopen("libpmix.so", RTLD_NOW | RTLD_GLOBAL);
	if (!library)
		return err_printf(err,
				  "exchange=pmix: PMIx's library can't be "
				  "loaded here: %.500s",
				  dlerror());
	return find_functions(c, library, err);
}

/* Connect. NULL when the library can't be loaded and when the server
 * refuses. */
static struct pmix_client *pmix_open(struct err *err)
{
	struct pmix_client *c = calloc(1, sizeof(*c));
	pmix_status_t status;

	if (!c)
		return err_memory_null(err);
	if (load(c, err) < 0) {
		free(c);
		return NULL;
	}
	setenv(PMIX_STORE_VARIABLE, PMIX_STORE, 0);
	status = c->Init(&c->own, NULL, 0);
	if (status == PMIX_SUCCESS)
		return c;
	failed(c, "the step's server can't be reached", status, err);
	free(c);
	return NULL;
}

static unsigned pmix_rank(const struct pmix_client *c)
{
	return c->own.rank;
}

/* --- the exchange --- */

static int pmix_put(struct pmix_client *c, const void *data, size_t n,
		    struct err *err)
{
	pmix_value_t value = {.type = PMIX_BYTE_OBJECT};
	char *copy = malloc(n + 1); /* an empty piece has an address too */
	pmix_status_t status;

	if (!copy)
		return err_memory(err);
	memcpy(copy, data, n);
	copy[n] = '\0';
	value.data.bo.bytes = copy;
	value.data.bo.size = n + 1;
	status = c->Put(PMIX_GLOBAL, KEY, &value);
	if (status == PMIX_SUCCESS)
		status = c->Commit();
	free(copy);
	return status == PMIX_SUCCESS ? 0 : failed(c, "put", status, err);
}

/* Never freed: an answer may come after everybody has stopped waiting. */
struct answer {
	sem_t here;
	pmix_status_t status;
};

static void fenced(pmix_status_t status, void *arg)
{
	struct answer *a = arg;

	a->status = status;
	sem_post(&a->here);
}

static void deadline(struct timespec *ts, unsigned timeout_s)
{
	clock_gettime(CLOCK_REALTIME, ts);
	ts->tv_sec += timeout_s;
}

static int wait_for(sem_t *sem, const struct timespec *until)
{
	int rc;

	do
		rc = sem_timedwait(sem, until);
	while (rc < 0 && errno == EINTR);
	return rc;
}

static pmix_info_t true_info(const char *key)
{
	pmix_info_t info;

	memset(&info, 0, sizeof(info));
	snprintf(info.key, sizeof(info.key), "%s", key);
	info.value.type = PMIX_BOOL;
	info.value.data.flag = true;
	return info;
}

/* Wait for all ranks of the step, for at most so many seconds; with `gather`
 * what they have published is here then. Returns 0, 1 when somebody has not
 * come, or -1. */
static int pmix_fence(struct pmix_client *c, bool gather, unsigned timeout_s,
		      struct err *err)
{
	pmix_info_t info = true_info(PMIX_COLLECT_DATA);
	struct answer *a = calloc(1, sizeof(*a));
	struct timespec until;
	pmix_status_t status;

	if (!a || sem_init(&a->here, 0, 0) < 0)
		return err_memory(err);
	deadline(&until, timeout_s);
	status = c->Fence_nb(NULL, 0, gather ? &info : NULL, gather, fenced, a);
	if (status == PMIX_SUCCESS && wait_for(&a->here, &until) < 0)
		return 1;
	if (status == PMIX_SUCCESS)
		status = a->status;
	return status == PMIX_SUCCESS ? 0 : failed(c, "fence", status, err);
}

static pmix_proc_t proc_of(const struct pmix_client *c, unsigned rank)
{
	pmix_proc_t proc = c->own;

	proc.rank = rank;
	return proc;
}

static int pmix_get(struct pmix_client *c, unsigned rank,
		    struct pmix_piece *ret, struct err *err)
{
	pmix_proc_t proc = proc_of(c, rank);
	pmix_value_t *value = NULL;
	pmix_status_t status = c->Get(&proc, KEY, NULL, 0, &value);

	if (status == PMIX_SUCCESS &&
	    (!value || value->type != PMIX_BYTE_OBJECT || !value->data.bo.size))
		status = PMIX_ERR_TYPE_MISMATCH;
	if (status != PMIX_SUCCESS)
		return failed(c, "get", status, err);
	*ret = (struct pmix_piece){
		.data = value->data.bo.bytes,
		.n = value->data.bo.size - 1,
		.value = value,
	};
	return 0;
}

/* The library's own macro for this needs it at link time. */
static void pmix_release(struct pmix_piece *piece)
{
	pmix_value_t *value = piece->value;

	free(value->data.bo.bytes);
	free(value);
	*piece = (struct pmix_piece){0};
}

/* --- who hasn't come --- */

/* Never freed, as above. */
struct question {
	atomic_bool heard;
};

static void heard(pmix_status_t status, pmix_value_t *value, void *arg)
{
	struct question *q = arg;

	(void)value; /* the library's */
	if (status == PMIX_SUCCESS)
		atomic_store(&q->heard, true);
}

/* After a fence that not all have come to: whose word isn't there after
 * another moment. missing[i] tells it of rank i, of n. */
static void pmix_find_missing(struct pmix_client *c, bool missing[], unsigned n)
{
	struct question *q = calloc(n, sizeof(*q));
	struct timespec wait = {.tv_sec = DIAGNOSE_S};

	for (unsigned i = 0; q && i < n; i++) {
		pmix_proc_t proc = proc_of(c, i);

		if (i == c->own.rank)
			atomic_store(&q[i].heard, true);
		else
			c->Get_nb(&proc, KEY, NULL, 0, heard, &q[i]);
	}
	nanosleep(&wait, NULL);
	for (unsigned i = 0; i < n; i++)
		missing[i] = q && !atomic_load(&q[i].heard);
}

/* The node of a rank; "?" when the server doesn't tell. Returns buf. */
static const char *pmix_node(struct pmix_client *c, unsigned rank, char *buf,
			     size_t size)
{
	pmix_info_t optional = true_info(PMIX_OPTIONAL);
	pmix_proc_t proc = proc_of(c, rank);
	pmix_value_t *value = NULL;

	snprintf(buf, size, "?");
	if (c->Get(&proc, PMIX_HOSTNAME, &optional, 1, &value) ==
		    PMIX_SUCCESS &&
	    value && value->type == PMIX_STRING)
		snprintf(buf, size, "%s", value->data.string);
	return buf;
}

/* Let go of the server, so that the task's program may be its client. */
static int pmix_close(struct pmix_client *c, struct err *err)
{
	pmix_status_t status = c->Finalize(NULL, 0);
	int rc =
		status == PMIX_SUCCESS ? 0 : failed(c, "finalize", status, err);

	free(c);
	return rc;
}

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
		struct pmix_piece piece = {0};

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
