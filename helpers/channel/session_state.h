/* SPDX-License-Identifier: Apache-2.0 */
/* The session inside, for session.c and its two parts. */
#ifndef DT_HELPERS_CHANNEL_SESSION_STATE_H
#define DT_HELPERS_CHANNEL_SESSION_STATE_H

#include "core/base/hostlist.h"
#include "core/facts/handover.h"
#include "core/facts/job.h"
#include "core/option/restart.h"
#include "helpers/channel/server.h"
#include "helpers/channel/session_options.h"
#include "helpers/conn/client.h"
#include "helpers/conn/message.h"
#include "helpers/gather/fetch.h"
#include "helpers/progress/progress.h"
#include "helpers/srun/srun_watch.h"
#include "sys/subprocess.h"

struct lead;
struct recovery;

struct session {
	struct session_options o;
	struct recovery *recovery; /* of a launcher; NULL: a lost node ends the
				      step */
	const struct job *job;
	struct handover_secret secret;
	char credential[CREDENTIAL_SIZE]; /* srun's, with the secret; "" */
	char id[JOB_STEP_SIZE];
	char why[SECRET_WHY_SIZE]; /* why there is no secret; "" */
	bool own_secret; /* nobody else has it: of a launcher that is alone, for
			    visitors */
	char *refusal;	 /* for visitors; NULL: none */
	const char *server_ip;
	struct secure_conn_step step;
	bool left;	/* told to leave: what comes now doesn't count */
	unsigned round; /* for an arbiter of our own */

	/* of session_server.c */
	struct subscription up; /* the first one, for `progress` */
	struct server *server;	/* ours; or */
	struct srun_watch srun;
	struct loop_timer no_srun;  /* armed: it has ended */
	struct loop_timer all_here; /* the time for that is over */
	bool silent;		    /* the step fails for who hasn't come */
	struct progress progress;
	bool suppress_output; /* another launcher speaks for this one */
	struct lead *lead;    /* with recovery; or NULL */
	bool told_by_slurm;
	unsigned char outcome; /* of session_outcome() */

	/* of session_beside.c */
	struct {
		const char *ip; /* srun's host; NULL: not there */
		unsigned port, facts_port;
		uint64_t began_ms;
		bool is_here; /* of task 0: the controller is on its node */
		bool is_elsewhere;    /* of another one: it was found there */
		struct relay *relay;  /* NULL: none */
		struct client *facts; /* while they are given */
		struct loop_timer deadline; /* armed: it hasn't got them */
	} beside;

	/* of session_step.c */
	struct subprocess program; /* the controller; or 0 */
	int listen_fd; /* of its port, until this launcher is let in, or the
			  server here has it; 0: none */

	/* of session_client.c */
	struct client *client; /* the way to task 0's */
	struct fetch *fetch;   /* NULL: it had no reason yet */
	char own_ip[IP_TEXT_SIZE];
	char hello[HELLO_SIZE];
	struct loop_timer server_lost; /* armed: the loss is not told yet */
	struct loop_timer unanswered;  /* armed: MSG_FAILED was sent */
	int server_lost_why;
	long server_silent_s;
	char failed[64], ended[64]; /* what an arbiter of our own would have to
				       know */
	bool told_to_end;
	uint64_t interrupted_ms;	  /* when Ctrl-C came; 0: never */
	char restart_on[RESTART_ON_SIZE]; /* for the arbiter */
	bool late;   /* the server hasn't answered in time */
	bool ending; /* the arbiter has ended this round */
};

/* Whether the launchers have got the secret without srun. */
static inline bool is_met(const struct session *t)
{
	return t->o.met && t->o.met->there;
}

/* Whether the step fails when its launchers don't all meet in time. */
static inline bool session_must_meet(const struct session *t)
{
	return t->o.needs_go || request_word(t->o.plan->request,
					     KEY_ON_SILENCE) == ON_SILENCE_FAIL;
}

static inline long session_number(const struct session *t, enum key_id id)
{
	return request_number(t->o.plan->request, id);
}

#endif
