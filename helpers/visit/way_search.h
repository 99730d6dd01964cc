/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a step's controller is, and the step's secret: each address at which it
 * may be is asked for the secret, eight at a time, the likely ones first, again
 * and again for some seconds. A door that isn't the controller's closes at
 * once. What was found instead is kept, for the message.
 */
#ifndef DT_HELPERS_VISIT_WAY_SEARCH_H
#define DT_HELPERS_VISIT_WAY_SEARCH_H

#include "core/base/hostlist.h"
#include "core/facts/handover.h"
#include "helpers/auth/auth.h"
#include "helpers/visit/way_list.h"
#include "sys/loop.h"

struct way_search;

struct way_search_options {
	struct loop *loop;
	struct way_where where;
	struct auth auth;      /* the cluster's issuer */
	const char *id;	       /* of the step, "JOB.STEP.REQUEUE" */
	unsigned char *secret; /* SECRET_SIZE bytes, to be filled */
	/* Once one of them: the secret is known; or all was in vain. Either may
	 * not close the search. */
	void (*found)(void *arg);
	void (*failed)(void *arg);
	void *arg;
};

/* All is borrowed until way_search_close(). NULL: out of memory. */
struct way_search *way_search_open(const struct way_search_options *options,
				   struct err *err);

/* NULL is allowed. */
void way_search_close(struct way_search *search);

/* For a client that knows the secret (helpers/conn/client.h): the address that
 * has answered, and then others, for anybody may repeat an answer. */
unsigned way_port(const void *search, unsigned try);
const char *way_ip(const void *search, unsigned try,
		   char ret[HOSTLIST_NAME_MAX]);

/* Which host has answered. */
const char *way_node(const struct way_search *search);

/* Why the step can't be reached, by all that was found. Returns -1. */
int way_failed(const struct way_search *search, struct err *err);

#endif
