/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A way to a controller beside srun for who can't reach that host, or doesn't
 * know it: a launcher listens where the controller would be if it were on its
 * node, and passes bytes on both ways. It understands none of them: what is
 * said there is sealed, or a question that anybody may ask.
 */
#pragma once

#include "core/base/err.h"
#include "sys/loop.h"

struct relay;

struct relay_options {
	struct loop *loop;
	const char *ip; /* to listen at; NULL: all addresses; borrowed */
	unsigned (*port)(const void *arg, unsigned try); /* 0: no more */
	const void *port_arg;
	const char *to_ip; /* the controller's; borrowed */
	unsigned to_port;
	/* For the kernels, as for a connection of the two themselves: each end
	 * sees by ours alone that the other one's host is lost. */
	long lease_s;
};

/* NULL when no port is free, or out of memory: nobody depends on it. */
struct relay *relay_open(const struct relay_options *options);
void relay_close(struct relay *relay); /* NULL is allowed */
