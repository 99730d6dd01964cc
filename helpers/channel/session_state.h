/* SPDX-License-Identifier: Apache-2.0 */
/* The session inside, for session.c and its parts. */
#pragma once

#include "core/base/err.h"
#include "core/base/hostlist.h"
#include "core/facts/handover.h"
#include "core/facts/job.h"
#include "core/option/ladder.h"
#include "helpers/auth/asker.h"
#include "helpers/channel/session_options.h"
#include "helpers/conn/client.h"
#include "helpers/conn/connections.h"
#include "helpers/conn/message.h"
#include "helpers/gather/fetch.h"
#include "sys/subprocess.h"

#include <stdbool.h>
#include <stddef.h>

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

/*
 * The part of the session that connects to the step's server. When that is
 * lost, or doesn't answer in time, this launcher decides for itself from then
 * on (session_alone.c).
 */

/* Begin to connect. Returns 0 or -1. */
int session_be_client(struct session *session, struct err *err);

/* As session_send() and session_told_to_end(), while there is a client. */
void session_client_send(struct session *session, char type, const char *data,
			 size_t n);
void session_client_told_to_end(struct session *session);

/* Whether the server's loss isn't told yet: session_send() keeps failures and
 * ends until then. */
bool session_client_is_in_doubt(const struct session *session);

/* A message of the server that is about a text which members hand on
 * (helpers/gather/fetch.h); what comes of it goes to `message`, of a struct
 * session. Returns whether it was such a one. */
bool session_client_fetches(struct session *session,
			    void (*message)(void *session, char type,
					    const char *data, size_t n),
			    char type, const char *data, size_t n);

/* Nobody is asked any more. */
void session_client_drop(struct session *session);

void session_client_close(struct session *session);

/* Connect to the server as `how` says: with its ports, addresses and callbacks,
 * all of which get the session. Returns 0 or -1. */
int session_connect(struct session *session, struct client_options *how,
		    struct err *err);

/* Connect to the server at these ports and addresses (client_options, with the
 * session as `port_arg`; ip_of NULL: on the first node). Returns 0 or -1. */
int session_open_client(struct session *session,
			unsigned (*port)(const void *arg, unsigned try),
			const char *(*ip_of)(const void *arg, unsigned try,
					     char ret[HOSTLIST_NAME_MAX]),
			struct err *err);

/*
 * The part of the session that decides for this launcher alone, as the step's
 * controller would: where the launchers can't reach each other, where the
 * controller is lost or has never answered, and for a step of one launcher that
 * can't start one. A failure, or a reason to stop, ends this launcher's
 * processes; nothing starts again, and nobody else hears of it.
 */

/* From the begin. Fails where a key needs the controller, and says `why` there
 * is none. Returns 0 or -1. */
int session_alone_open(struct session *session, const char *why,
		       struct err *err);

/* From now on. */
void session_alone_begin(struct session *session);

/* As session_send(). */
void session_alone_send(struct session *session, char type, const char *data,
			size_t n);

/* End all for a reason outside of this launcher, said in `line` ("": nothing is
 * said), with that exit code, after `after_s`. */
void session_alone_stop(struct session *session, const char *line, int code,
			long after_s);

void session_alone_close(struct session *session);

/*
 * The part of the session that finds the step's controller beside srun
 * (spank/srun/step_start.h). Task 0's launcher gives it its facts, and only
 * then it leads: where that launcher can't, it starts the controller on its own
 * node instead (session_step.c). So there is one, and task 0's launcher alone
 * decides where. The others look for it beside srun, and after a while in both
 * places.
 */

/* Whether srun has started one. */
bool session_has_beside(const struct session *session);

/* Of task 0's launcher: give the facts; of all: look for it, as `client` begins
 * to. Return 0 or -1. */
int session_begin_beside(struct session *session,
			 int (*client)(struct session *session,
				       struct err *err),
			 struct err *err);

/* Where it may be: client_options.port and ip_of, with the session. */
unsigned session_beside_port(const void *session, unsigned try);
const char *session_beside_ip(const void *session, unsigned try,
			      char ret[HOSTLIST_NAME_MAX]);

void session_beside_close(struct session *session);

/*
 * The part of the session of a step that outlives a lost node
 * (doc/design/helpers-server.md): what a launcher says and is told, and what it
 * does when it has lost the controller. session.c calls these functions where
 * the session's options say `recovery`.
 */

/* A launcher joins the step. Fails where srun has started no controller, or the
 * launchers can't meet. */
int recovery_open(struct session *session, struct err *err);

/* As session_send() and session_told_to_end(), where there is a t->recovery. */
void recovery_send(struct session *session, char type, const char *data,
		   size_t n);
void recovery_told_to_end(struct session *session);

/* Before the rest of the session. */
void recovery_close(struct session *session);

/*
 * The part of the session that knows the step's secret, or gets it. Where that
 * is handed over (MUNGE) or was met for (helpers/meet/meet.h) it is there from
 * the begin. Where Slurm's own authentication is the cluster's, a launcher asks
 * for it at the ports at which it connects, before it does (helpers/auth).
 */

/* Returns 0, or -1: out of memory. */
int session_find_secret(struct session *session, struct err *err);
void session_forget_secret(struct session *session);

/* Let a client ask for it, if it isn't known. */
void session_ask(struct session *session, struct client_options *client);

/* The same at the port for facts of a controller beside srun (FACTS_DOOR). */
void session_ask_door(struct session *session, struct client_options *client);

/* It isn't asked for any more: that of this launcher counts, which starts the
 * controller, or is alone. */
void session_have_own_secret(struct session *session);

/* Make session->giver, which says so to who asks with a token; where those are
 * none of the cluster's it stays NULL. The text is borrowed. Returns 0 or -1.
 */
int session_refuse_askers(struct session *session, const char *refusal,
			  struct err *err);

/*
 * The part of the session of task 0's launcher that starts the controller
 * (helpers/step/dist-train-step.c) on its node: the port is bound here, so that
 * whoever comes early waits and isn't refused, and given to that program; then
 * this launcher is a client as all others. Where the program can't be started,
 * or has ended before it let this launcher in, the step fails; a step of one
 * launcher does without, where no key needs it.
 */

/* A client that is there already looks for it at session_port(). Returns 0 or
 * -1. */
int session_begin_step(struct session *session, struct err *err);

/* Say why the step can't have a controller, and end this launcher, and with it
 * the step. */
void session_step_fail(struct session *session, const struct err *err);

void session_step_close(struct session *session);

/* A launcher of a step that outlives a lost node, inside. */

struct recovery {
	bool seeks;	/* it has lost the controller, and looks for it */
	bool welcomed;	/* the controller has let it in, once */
	bool gathered;	/* it has had MSG_GATHERED */
	unsigned round; /* the last one that it was told of */

	/* what it has said, for a controller that it has lost and found again:
	 * nobody knows what of it has come */
	char ended[64];
	char *piece, *condemned, *stop;
	char *ready; /* MSG_READY of this round */
	size_t npiece;
	bool told, orphan;

	/* this node's processes */
	bool at_rest;	/* the launcher has said MSG_ENDED, and has no new round
			 */
	uint64_t ok_ms; /* the controller lived then, and heard this launcher;
			   0: it hasn't yet */
	uint64_t lost_ms; /* when it was lost */
	struct loop_timer beat, fence;
};

/* Then, or when the timer says so: end all processes at once, and look for the
 * controller. */
void lost_fence(struct session *t);

void lost_send_beat(struct session *t);
void lost_note_echo(struct session *t, const char *data);
