/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wait until a service answers: it says so itself through a pipe, or takes a
 * connection at its port.
 */
#ifndef DT_HELPERS_LAUNCH_READINESS_H
#define DT_HELPERS_LAUNCH_READINESS_H

#include "sys/loop.h"

#include <netdb.h>

struct readiness {
	struct loop *loop;
	/* Called once: it answers; or it hasn't in time. */
	void (*ready)(void *arg);
	void (*late)(void *arg);
	void *arg;
	/* its own */
	struct loop_watch watch;
	struct loop_timer again, limit;
	char ip[NI_MAXHOST];
	unsigned port;
};

/* Wait for the first byte from the pipe `fd`, which is the callee's from now
 * on. When it closes before, nothing is called but `late`. */
int readiness_of_word(struct readiness *w, int fd, long timeout_s,
		      struct err *err);

/* Wait for a connection to the address, whose name is looked up first. */
int readiness_of_port(struct readiness *w, const char *addr, unsigned port,
		      long timeout_s, struct err *err);

bool readiness_is_awaited(const struct readiness *w);

/* Wait no more. No-op when nothing is waited for. */
void readiness_end(struct readiness *w);

#endif
