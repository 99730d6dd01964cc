/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A launcher's endpoint for reports over HTTPS: the program dist-train-metrics.
 * The launcher has the listening socket, so that the address is known before
 * the program runs, and stays when processes start again. It is at the loopback
 * address, at a port that the kernel chooses: nobody else has to know it.
 */
#ifndef DT_HELPERS_METRICS_METRICS_ENDPOINT_H
#define DT_HELPERS_METRICS_METRICS_ENDPOINT_H

#include "core/base/err.h"
#include "sys/loop.h"

struct endpoint;

struct endpoint_options {
	struct loop *loop;
	const char *dir; /* for the certificate and the token; borrowed */
	/* A report of a rank, which may be changed. */
	void (*line)(void *arg, unsigned rank, char *line);
	/* The program has ended by itself, and the endpoint is closed: from now
	 * on whoever asks is refused at once. */
	void (*lost)(void *arg);
	void *arg;
};

/* Returns 0; or -1 with the reason: there is no such program here (in a
 * container), no port, or a file can't be written. endpoint_close() in the
 * first case. */
int endpoint_open(const struct endpoint_options *options, struct endpoint **ret,
		  struct err *err);
void endpoint_close(struct endpoint *endpoint);

/* Take reports of n ranks from `first` on, until endpoint_stop(). Returns 0 or
 * -1. */
int endpoint_start(struct endpoint *endpoint, unsigned first, unsigned n,
		   struct err *err);

/* Take no more, after what has come. No-op when it isn't started. */
void endpoint_stop(struct endpoint *endpoint);

unsigned endpoint_port(const struct endpoint *endpoint);
const char *endpoint_cert(const struct endpoint *endpoint);
const char *endpoint_token(const struct endpoint *endpoint);

#endif
