/* SPDX-License-Identifier: Apache-2.0 */
/* How often a client tries (helpers/conn/client.c); in milliseconds. */
#ifndef DT_HELPERS_CONN_CLIENT_PACE_H
#define DT_HELPERS_CONN_CLIENT_PACE_H

#include "core/facts/port.h"

#include <sodium.h>

/* Between two rounds over all ports: at first often, because all launchers of
 * a step start together, then ever less. */
#define RETRY_MS     10
#define RETRY_MAX_MS 1000
/* As long as the launchers of a step come up, one that isn't of a crowd waits
 * no longer than this: all wait for the last one that finds the server. */
#define EAGER_MS     3000
#define EAGER_MAX_MS 80
/* Meanwhile only each fourth round is over all ports, the others over the first
 * one: the server has another only where somebody else has that, and to be
 * refused eight times in each round was a tenth of a launcher's start. */
#define ALL_PORTS_IN 4
/* The same for one of a crowd while it is in the queue of the one server that
 * there is: all its ports were tried, and each of them is asked more rarely. */
#define QUEUED_MAX_MS 8000
/* For a port to answer until the next one is tried as well; all are tried
 * within the time that the server has. */
#define NEXT_MS	   250
#define NEXT_SHARE (LAUNCHERS_TRIES + 2)
#define TRY_MS	   10000 /* for a port to answer until it is tried anew */

/* A server lets some 20 of a crowd in each millisecond: that is how far apart
 * its members begin. Later their pauses are longer by five times as much. */
#define CROWD	     256
#define CROWD_PER_MS 4
#define FIRST_SHARE  5

/* What one of so many adds to a pause. */
static inline unsigned crowd_ms(unsigned ncrowd)
{
	return ncrowd < CROWD ? 0 : randombytes_uniform(ncrowd / CROWD_PER_MS);
}

static inline unsigned next_pause(unsigned ms, unsigned max_ms)
{
	return ms < max_ms / 2 ? 2 * ms : max_ms;
}

#endif
