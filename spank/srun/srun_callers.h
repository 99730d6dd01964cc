/* SPDX-License-Identifier: Apache-2.0 */
/*
 * srun's port, and who calls there without having shown the step's token yet.
 * srun_liveness.c calls this in its thread. Strangers are dropped when their
 * number grows, and can't keep a launcher out.
 */
#ifndef DT_SPANK_SRUN_SRUN_CALLERS_H
#define DT_SPANK_SRUN_SRUN_CALLERS_H

#include "core/facts/handover.h"

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#define CALLERS_MAX 16

/* A connection. */
struct caller {
	int fd;
	unsigned char bytes[TOKEN_SIZE];
	size_t n; /* received so far */
};

struct callers {
	const unsigned char *token; /* of TOKEN_SIZE */
	long lease_s;		    /* for the kernel's keepalive */
	int listen_fd;		    /* -1: nobody else is expected */
	bool full; /* no descriptor is free for another connection */
	unsigned n;
	struct caller caller[CALLERS_MAX];
};

/* Listen (srun_listen.h). Sets listen_fd; returns the port, or 0 if none is to
 * be had. */
unsigned callers_listen(struct callers *c);

/* Fill `p`, of CALLERS_MAX + 1, and return how many there are: one for the
 * port, then one for each caller. */
unsigned callers_poll(const struct callers *c, struct pollfd *p);

/* Read what the callers have sent, and let the next one in: `p` as filled by
 * callers_poll(). Returns the descriptor of one who has shown the token, for
 * the caller of this function to close; -1: none yet. */
int callers_hear(struct callers *c, const struct pollfd *p);

/* Close the port and drop all callers. */
void callers_close(struct callers *c);

#endif
