/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the servers of language models have in common: one program per node,
 * which is told by arguments how many nodes there are and which one it is on,
 * and an API over HTTP on the first node. Called by frameworks/vllm.c and
 * sglang.c. Pure.
 */
#pragma once

#include "core/base/argset.h"
#include "core/base/envset.h"
#include "core/base/err.h"
#include "core/plan/plan.h"

#include <stdbool.h>

/* Where a program answers "GET /health" with 200 when it is ready. */
struct api {
	const char *host; /* that it listens at, borrowed; NULL: all addresses
			     of its node */
	unsigned port;
};

/* The API by the user's --host and --port, or else by these defaults. False
 * where nobody can ask by plain HTTP: TLS, or a socket in the file system. */
bool serving_api(const struct plan *plan, const char *host, unsigned port,
		 struct api *ret);

/* Refuse nodes that have different numbers of devices, and a --nnodes or
 * --node-rank of the user's that contradicts a step of several nodes. */
int serving_check(const struct plan *plan, struct err *err);

/* Add the variable that holds this node's address, where it is known: without
 * it such programs take the interface of the default route, or none. */
int serving_own_address(const struct plan *plan, const char *name,
			struct envset *set, struct err *err);

/* Add "--NAME VALUE", printf-like, where the user's command line doesn't have
 * the option (argv_option(); `letters` may be NULL). Fails as argset_add(). */
int serving_option(const struct plan *plan, const char *name,
		   const char *letters, struct argset *args, struct err *err,
		   const char *fmt, ...) __attribute__((format(printf, 6, 7)));
