/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who gets what the key stage names from whom: the step's controller has one,
 * which sends nothing itself. Of each thing one launcher reads the shared path;
 * who has it, or gets it, gives it to a few others at a time, and they to
 * others, each of them while it comes.
 *
 * A launcher tells
 *	"ask"		what is there to stage?
 *	"plan TEXT"	that (helpers/copies/stage_plan.h), when it was told to
 *			look
 *	"lack N"	the N-th isn't here, or doesn't come from where it was
 *			sent; said again when no answer comes
 *	"have N PORT"	it is here, and given to others at that port; 0: isn't
 *	"fills N PORT"	the same of what comes; 0: it doesn't any more
 *	"fail N"	it can't be here
 *	"came N BYTES"	so much of it is here
 *	"done"		all is here that will be
 *	"void N WHY"	nobody may have it: it has changed while it was read
 * and is told
 *	"look"		find out what there is
 *	"plan TEXT"	that is it
 *	"read N"	from the shared path
 *	"from N PORT IP"
 *	"none N WHY"
 */
#pragma once

#include "core/base/ip.h"

#include <stdbool.h>

#define STAGE_GUESTS 2 /* at a time of one launcher */
#define STAGE_TRIES  3 /* then it reads the shared path itself */

struct stage_hosts;

struct stage_hosts_options {
	unsigned n; /* launchers */
	void (*tell)(void *arg, unsigned member, const char *text);
	/* Where others reach it. Returns 0, or -1: nobody knows. */
	int (*address)(void *arg, unsigned member, char ret[IP_TEXT_SIZE]);
	/* Whether they are on one node, or one. */
	bool (*same_node)(void *arg, unsigned a, unsigned b);
	void *arg;
};

/* NULL when out of memory. */
struct stage_hosts *stage_hosts_new(const struct stage_hosts_options *o);
void stage_hosts_free(struct stage_hosts *hosts);

/* A launcher tells something; nonsense is ignored. */
void stage_hosts_note(struct stage_hosts *hosts, unsigned member,
		      const char *text);

/* How far it is. */
struct stage_sum {
	unsigned asked, done; /* launchers that have asked; and have all */
	unsigned long long bytes, best, of; /* of all, of the one that has most,
					       and that one is to have */
	bool any;			    /* somebody has something whole */
	char path[512]; /* what is under way; "" nothing is */
};
void stage_hosts_sum(const struct stage_hosts *hosts, struct stage_sum *ret);

/* It isn't here any more. */
void stage_hosts_lost(struct stage_hosts *hosts, unsigned member);
