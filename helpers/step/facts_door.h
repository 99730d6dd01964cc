/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The port at which a controller beside srun is given its facts, by task 0's
 * launcher (helpers/channel/session_state.h): MSG_HELLO, MSG_STEP; it answers
 * MSG_HAVE, and leads the step from MSG_LEAD on. Who connects has to prove the
 * step's secret, for which the giver may be asked first.
 */
#pragma once

#include "helpers/conn/connections.h"

struct facts_door {
	struct connections all;
	struct giver *giver;	  /* of its secret; borrowed; NULL: none */
	struct connection *first; /* task 0's; NULL: it isn't here */
	char *text;		  /* its facts, or NULL */
	size_t n;
	/* It is to lead, nobody may come any more and nothing more is taken;
	 * the text is there until the door is closed. Called from the loop,
	 * once. */
	void (*leads)(void *arg);
	void *arg;
	struct loop_timer full; /* it has all */
	bool led;
};

/* Listen at that descriptor, which is taken over. Set giver, leads and arg
 * before. Returns 0 or -1. */
int facts_door_open(struct facts_door *door, int listen_fd,
		    const struct secure_conn_step *step, struct err *err);
void facts_door_close(struct facts_door *door);

/* Lines for the user, by task 0's launcher; before `leads` returns. */
void facts_door_say(struct facts_door *door, const char *lines);
