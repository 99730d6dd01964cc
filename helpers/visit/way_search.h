/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a step's controller is, and the step's secret: each address at which it
 * may be is asked for the secret, eight at a time, the likely ones first, again
 * and again for some seconds. A door that isn't the controller's closes at
 * once. What was found instead is kept, for the message.
 */
#pragma once

#include "core/base/hostlist.h"
#include "core/facts/auth.h"
#include "core/facts/port.h"
#include "helpers/visit/step_find.h"
#include "sys/loop.h"

/* The addresses at which a step's controller may be, the likely ones first: the
 * first port of srun's host, beside which it is, and of the step's first nodes,
 * which lead there or have it; then the second port of each, and so on; last
 * those of a srun whose step is heterogeneous. */

#define WAY_RANGES_MAX 4 /* of ports */

struct address {
	char ip[IP_TEXT_SIZE];
	unsigned port;
	const struct found_node *node;
};

struct way_where {
	const struct found_step *step; /* borrowed */
	unsigned port_min, port_max;   /* as the user gives them; 0: not */
};

struct way_list {
	struct way_where where;
	struct port_range range[WAY_RANGES_MAX];
	unsigned nranges;
	struct address *address;
	unsigned n;
};

/* The ranges of ports are Slurm's for srun, the user's, the administrator's,
 * and the usual one, which dist-train exec takes. Waits for the resolver.
 * Returns 0 or -1. */
int way_list_open(struct way_list *ret, const struct way_where *where,
		  struct err *err);
void way_list_close(struct way_list *list);

/* The port that is tried so late; 0: no more. */
unsigned way_list_port(const struct way_list *list, unsigned try);

/* --- the search --- */

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
