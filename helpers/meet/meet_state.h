/* SPDX-License-Identifier: Apache-2.0 */
/* One meeting, for meet.c and learn.c. */
#pragma once

#include "core/facts/learned.h"
#include "helpers/auth/asker.h"
#include "helpers/auth/giver.h"
#include "helpers/conn/client.h"
#include "helpers/conn/connections.h"
#include "helpers/conn/loss_lines.h"
#include "helpers/conn/message.h"
#include "helpers/meet/meet.h"

struct meeting {
	const struct job *job;
	const struct request *request;
	struct port_range ports;
	struct met_secret *met;
	struct loop loop;
	struct loop_timer look; /* whether Slurm ends the step */
	bool ended;		/* it does */
	char id[JOB_STEP_SIZE];
	const char *ip; /* of task 0's node; NULL: not known */
	struct client *client;
	struct auth auth;
	struct asker *asker; /* of the client; or */
	struct giver *giver; /* of the server; NULL: the credential will do */
	bool done;
	int late;	   /* an errno: the server hasn't answered in time */
	struct err opened; /* why an answer wasn't for us */

	/* of learn.c */
	const struct learning *learning;
	const char *refusal; /* why this task can't be in the step, or NULL */
	unsigned what;
	struct secure_conn_step step;
	struct connections here;   /* task 0's launcher has the others */
	char lost[LOSS_LINE_SIZE]; /* one of them; "" */
	struct learned *learned;
	struct loop_timer deadline, leave;
	unsigned nmute; /* launchers that have nothing to tell */
	int missing;	/* those that haven't told it */
	char hello[HELLO_SIZE];
	char *all; /* the facts of all */
	bool left, failed;
	struct err *err;
};

/* Make the secret in task 0's launcher, or see that MUNGE answers here, where
 * it is the cluster's. Returns
 * 0, or -1 with met->why. */
int meeting_begin(struct meeting *m);

/* When the loop is open: what others ask, or we do, as far as it is by tokens.
 * Returns 0 or -1. */
int meeting_open(struct meeting *m, struct err *err);

/* What a port has answered (client_options.answered). */
enum client_now meeting_answered(void *meeting, const char *text);

/* The server hasn't answered in time (client_options.late): the loop stops. */
void meeting_late(void *meeting, int why);

/* The `try`-th port at which the launchers meet, of a struct meeting; 0: no
 * more. */
unsigned meeting_port(const void *meeting, unsigned try);

/* Run the loop until it is stopped, or Slurm ends the step (m->ended). */
int meeting_run(struct meeting *m, struct err *err);

void meeting_end(struct meeting *m);

/* To tell why there can't be a step nobody is waited for as long: the others
 * may look for task 0 elsewhere. */
#define REFUSAL_MAX_S 10

static inline long meeting_timeout_s(const struct meeting *m)
{
	long s = request_seconds(m->request, KEY_TIMEOUT);

	return (m->refusal || m->nmute) && s > REFUSAL_MAX_S ? REFUSAL_MAX_S
							     : s;
}
