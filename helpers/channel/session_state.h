/* SPDX-License-Identifier: Apache-2.0 */
/* The session inside, for session.c and its parts. */
#ifndef DT_HELPERS_CHANNEL_SESSION_STATE_H
#define DT_HELPERS_CHANNEL_SESSION_STATE_H

#include "core/base/hostlist.h"
#include "core/facts/handover.h"
#include "core/facts/job.h"
#include "helpers/auth/asker.h"
#include "helpers/channel/session_options.h"
#include "helpers/conn/client.h"
#include "helpers/conn/connections.h"
#include "helpers/conn/message.h"
#include "helpers/gather/fetch.h"
#include "sys/subprocess.h"

struct recovery;

struct session {
	struct session_options o;
	struct recovery *recovery; /* NULL: a lost node ends the step */
	const struct job *job;
	struct handed_secret secret; /* with srun's credential, or what
					auth_read() reads; "" */
	char id[JOB_STEP_SIZE];
	char why[SECRET_WHY_SIZE]; /* why there is no secret of all; "" */

	/* of session_secret.c, where Slurm's own authentication is the
	 * cluster's */
	struct auth auth;
	bool asks; /* the controller has the secret, and we not yet */
	struct asker *asker, *facts_asker; /* for that; or NULL */
	char facts_id[JOB_STEP_SIZE + sizeof(FACTS_DOOR)];
	struct giver *giver;	 /* for visitors that are refused; or NULL */
	struct loop_timer known; /* armed: it came just now */
	struct loop_timer fault; /* armed: why it doesn't come isn't said */

	const char *server_ip; /* of task 0's node */
	struct secure_conn_step step;
	bool left;	  /* told to leave: what comes now doesn't count */
	bool owes_answer; /* to MSG_ECHO, behind a failure */

	/* of session_beside.c */
	struct {
		const char *ip; /* srun's host; NULL: not there */
		unsigned port, facts_port;
		uint64_t began_ms;
		bool is_here; /* of task 0: the controller is on its node */
		bool is_elsewhere;    /* of another one: it was found there */
		struct relay *relay;  /* NULL: none */
		struct client *facts; /* while they are given */
		char refusal[FOREIGN_SIZE]; /* it doesn't take them; "" */
		struct loop_timer deadline; /* armed: it hasn't got them */
	} beside;

	/* of session_step.c */
	struct subprocess program; /* the controller; or 0 */
	int listen_fd; /* of its port, until this launcher is let in; 0: none */

	/* of session_client.c */
	struct client *client; /* NULL: nobody is asked any more */
	struct fetch *fetch;   /* NULL: it had no reason yet */
	char own_ip[IP_TEXT_SIZE];
	char hello[HELLO_SIZE];
	struct loop_timer server_lost; /* armed: the loss is not told yet */
	struct loop_timer unanswered;  /* armed: MSG_FAILED was sent */
	int server_lost_why;
	long server_silent_s;
	unsigned round;
	char failed[64], ended[64]; /* in it: for when it is alone */
	bool told_to_end;
	uint64_t interrupted_ms; /* when Ctrl-C came; 0: never */
	bool late;		 /* the server hasn't answered in time */
	bool ending;		 /* the arbiter has ended this round */

	/* of session_alone.c */
	struct alone {
		bool quiet; /* another launcher speaks for this one */
		bool fails; /* its processes were told to end */
		bool done;  /* its services were */
		bool busy;  /* in the middle of that */
		bool ended;
		int code;
		long nended; /* processes, by us */
		struct loop_timer latest;
		char *refusal; /* for visitors; NULL: they find nobody */
		struct connections strangers;
	} alone;
};

/* The `try`-th port at which the controller may be on task 0's node, of a
 * struct session; 0: no more. */
unsigned session_port(const void *session, unsigned try);

/* A message for this launcher (of a struct session). */
void session_message(void *session, char type, const char *data, size_t n);

/* The controller asks whether all failures are told. False: the answer follows
 * the one that may come. */
bool session_may_answer(struct session *session);

/* That of the controller. */
void session_let_go_of_port(struct session *session);

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
