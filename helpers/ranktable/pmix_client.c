/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/ranktable/pmix_client.h"

#include "helpers/ranktable/exchange_pmix.h"

#include <dlfcn.h>
#include <errno.h>
#include <pmix.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

struct pmix_client *pmix_open(struct err *err)
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

unsigned pmix_rank(const struct pmix_client *c)
{
	return c->own.rank;
}

/* --- the exchange --- */

int pmix_put(struct pmix_client *c, const void *data, size_t n, struct err *err)
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

int pmix_fence(struct pmix_client *c, bool gather, unsigned timeout_s,
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

int pmix_get(struct pmix_client *c, unsigned rank, struct pmix_piece *ret,
	     struct err *err)
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
void pmix_release(struct pmix_piece *piece)
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

void pmix_find_missing(struct pmix_client *c, bool missing[], unsigned n)
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

const char *pmix_node(struct pmix_client *c, unsigned rank, char *buf,
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

int pmix_close(struct pmix_client *c, struct err *err)
{
	pmix_status_t status = c->Finalize(NULL, 0);
	int rc =
		status == PMIX_SUCCESS ? 0 : failed(c, "finalize", status, err);

	free(c);
	return rc;
}
