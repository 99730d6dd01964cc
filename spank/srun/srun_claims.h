/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The claims of launchers to be the centre of a step with recovery
 * (doc/design/0080-lost-nodes.md): srun is the witness and grants the office to
 * one at a time. srun_liveness.c calls this in its thread and tells the time;
 * the words are those of core/facts/handover.h.
 */
#ifndef DT_SPANK_SRUN_SRUN_CLAIMS_H
#define DT_SPANK_SRUN_SRUN_CLAIMS_H

#include "spank/srun/srun_heard.h"

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

/* Eight launchers may become the centre; the others are old connections. */
#define CLAIMS_MAX 16
/* For a claim with a lower number, when the office is free. */
#define CLAIMS_WINDOW_MS 300

struct claim {
	int fd; /* -1: none */
	unsigned procid;
	uint64_t heard_ms; /* when its last byte came */
	unsigned nrounds;  /* SRUN_ROUNDs of the last bytes */
	struct srun_heard heard;
};

struct claims {
	uint64_t interval_ms, lease_ms; /* set these two; the rest is 0 */
	bool held;			/* a launcher has the office */
	struct claim holder; /* its connection may have ended by a fault of the
				network: it keeps the office for a lease */
	bool silent;	     /* the last holder was lost by silence */
	uint64_t free_ms;    /* since when the office is free */
	uint64_t grant_ms;   /* when the window ends; 0: nobody waits */
	uint64_t run_ms;     /* the last claims_run() */
	unsigned term;	     /* how often the office was granted */
	unsigned round; /* the highest that a centre may have begun: none begins
			   one with a number that another one has used */
	bool has_end;	/* the job's end has changed: */
	int64_t end;
	struct srun_heard heard; /* of all who have held the office */
	unsigned n;
	struct claim waiting[CLAIMS_MAX]; /* the lowest number first */
};

/* A caller has shown the token and claims the office. Takes `fd` over, which
 * must not block. Of two claims with a number the later one counts; when there
 * are too many the highest number goes. */
void claims_add(struct claims *c, int fd, unsigned procid, uint64_t now_ms);

/* Read all connections, answer their beats, and grant the office if it is free.
 * Call it when a connection has something or claims_next_ms() is over. Returns
 * the holder's last word, or 0. `now_ms` must not run faster than time does. */
char claims_run(struct claims *c, uint64_t now_ms);

/* The job ends at another time: tell the holder, and each one to come. */
void claims_end_time(struct claims *c, int64_t seconds);

/* When to call claims_run() again at the latest; UINT64_MAX: never. */
uint64_t claims_next_ms(const struct claims *c);

/* Fill `p`, of CLAIMS_MAX + 1, and return how many there are. */
unsigned claims_poll(const struct claims *c, struct pollfd *p);

/* Close all connections: nobody holds the office, and nobody waits. */
void claims_close(struct claims *c);

#endif
