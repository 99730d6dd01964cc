/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where rank 0 will be: its node and an address that the others reach. Found
 * in srun, where a name look-up holds up nobody else.
 */
#ifndef DT_SPANK_RANK0_H
#define DT_SPANK_RANK0_H

#include "core/err.h"
#include "core/hostlist.h"
#include "spank/job.h"

#include <netdb.h>

struct rank0 {
	char node[HOSTLIST_NAME_MAX];
	char addr[NI_MAXHOST]; /* IP address as text; empty: not known */
};

/* The node: from srun's environment where that is certain, else from the
 * controller (one RPC). Its address: NodeAddr. One that is a loopback here (a
 * host's own name in its hosts file) is replaced by the one that routes to
 * another node of the job. Not knowing an address is no failure: the node's
 * name is left. */
int rank0_find(const struct srun_step *step, struct rank0 *ret,
	       struct err *err);

/* Resolve a host name or address to IP text, IPv4 before IPv6, no loopback
 * address. Waits for the resolver. Returns 0 or -1. */
int rank0_resolve(const char *host, char *ret, unsigned size);

#endif
