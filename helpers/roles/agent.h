/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dist-train-roles: a step of several roles, on one of its nodes. It runs as
 * the job's user in the place of the program, one on each node, started by the
 * step's ordinary launcher, which hands it all that it has itself, and a word
 * made of the step's secret on standard input. Its argument is the file of
 * roles, whose text came with the step (HANDOVER_ROLES).
 *
 * Each node's agent starts a launcher for each world that has processes there,
 * as `dist-train exec` would if the step were that world: another node list,
 * other tasks, devices, ports and another secret. So ranks, addresses, rank
 * tables, labels and the report of who failed first are what they are in any
 * step. The first node's agent is the director, too: it alone decides.
 *
 * director.h		what becomes of worlds: pure
 * roles_server.c	the director's connections; the first node's own part
 * agent.c		messages, and what is done about them on this node
 * talk.c		what the others may say to it
 * here.c		a world's launcher on this node, from start to end
 * world_child.c	between fork and exec: the world's facts as a task's
 * ready.c		when a world counts as ready
 * port_blocks.c	ports that no other step of this node takes
 * cpu_parts.c	the word cpus=
 * world_record.c	worlds in the step's record
 * roles_file.c	DIST_TRAIN_ROLES_FILE, which `dist-train wait` reads
 *
 * What agents tell each other is one line of words each (AGENT_...). Nothing
 * blocks; a lost agent or director ends the step, as a lost rank does.
 */
#pragma once

#include "core/base/hostlist.h"
#include "core/facts/handover.h"
#include "core/facts/job.h"
#include "core/option/config.h"
#include "core/option/key_forms.h"
#include "core/option/option.h"
#include "core/plan/plan.h"
#include "core/roles/role_names.h"
#include "helpers/conn/message.h"
#include "helpers/conn/secure_conn.h"
#include "helpers/procs/readiness.h"
#include "helpers/roles/director.h"
#include "sys/loop.h"
#include "sys/subprocess.h"

#include <limits.h>
#include <sched.h>

/* The type of all messages between agents that follow MSG_WELCOME, and their
 * first words. WORLD and NODE are numbers. */
#define AGENT_MESSAGE 'r'

/* agent -> director: what this node is; the first port of a world whose first
 * node it is; of that node again, ready or not in time; its launcher has ended.
 */
#define AGENT_NODE  "node"  /* DEVICES NAME */
#define AGENT_PORTS "ports" /* WORLD PORT */
#define AGENT_READY "ready" /* WORLD ROUND */
#define AGENT_LATE  "late"  /* WORLD ROUND */
#define AGENT_ENDED "ended" /* WORLD ROUND CODE */
#define AGENT_FAULT "fault" /* LINE: this node can't; said by the director */

/* director -> agents */
#define AGENT_NODES	"nodes"	    /* DEVICES ADDRESS NAME of each node */
#define AGENT_ALL_PORTS "all-ports" /* PORT of each world */
#define AGENT_START	"start"	    /* WORLD ROUND */
#define AGENT_END	"end"	    /* WORLD */
#define AGENT_SAVE	"save"	    /* WORLD */
#define AGENT_STATE	"state"	    /* WORLD STATE */
#define AGENT_LEAVE	"leave"	    /* CODE */
#define AGENT_LOST	"lost"	    /* -: the director gives up, so do you */

struct agent;
struct client;
struct roles_server;

struct agent_node {
	char name[HOSTLIST_NAME_MAX];
	char host[HOSTLIST_NAME_MAX]; /* address or name for the others */
	unsigned devices;
};

/* A world's part on this node. */
struct here {
	struct agent *agent;
	unsigned world;
	unsigned round;
	bool runs;		    /* its launcher does */
	char record[PATH_MAX + 32]; /* its launchers' folder; "": none */
	int record_fd;		    /* of the file there, or -1 */
	bool ended;		    /* it did, and that isn't told yet */
	int code;		    /* of its end */
	long grace_s;		/* of its framework's keys; -1: the step's */
	struct end_signal save; /* the same, for on-failure=save */
	bool own_signal, saved; /* they have end-signal; it was told that */
	struct subprocess launcher;
	struct loop_timer kill;
	/* ready.c */
	struct readiness waiting;
	struct subprocess relay; /* of ready=line */
	char *file;		 /* of ready=file; NULL: not yet known */
	struct file_seen before; /* as it was at the start */
};

/* What agent.c does for the others (talk.c). */
struct agent_calls {
	void (*tell)(struct agent *agent, const char *text);
	void (*message)(struct agent *agent, char *text);
	void (*ended)(struct agent *agent);
	void (*give_up)(struct agent *agent);
	void (*lose)(struct agent *agent, int why);
};

struct agent {
	const struct agent_calls *calls;
	struct loop loop;
	struct config config;
	struct request request; /* of the step: framework roles */
	struct job job;
	struct plan plan;
	unsigned char secret[SECRET_SIZE]; /* of the agents */
	struct role_file file;

	struct agent_node *node; /* of the step, by task */
	struct role_plan roles;	 /* n is 0 before all nodes are known */
	unsigned *port;		 /* ROLE_PORTS_MAX of each world */
	unsigned *block; /* where each world's ports begin; 0: unknown */
	struct role_address *address; /* of each world */
	struct here *here;	      /* of each world */
	enum world_state *state;      /* of each world */

	struct client *client;	     /* to the director, or */
	struct roles_server *server; /* it is here */
	const char *run_dir; /* the launcher's folder, which removes it with all
				that is in it; worlds have theirs there */
	char roles_file[PATH_MAX + 16]; /* "": not there yet */
	struct secure_conn_step step;
	char hello[HELLO_SIZE];
	struct loop_watch children, told;
	struct loop_watch records; /* those of worlds change */
	int notes_fd;		   /* to the launcher, for the step's record */
	struct loop_timer rest;	   /* what a launcher left behind still runs */
	unsigned ntries;	   /* to end that */
	bool hurries;		   /* the launcher was killed: so is that */
	struct loop_timer alone;   /* nobody says why the director is silent */
	struct loop_timer last;	   /* SIGKILL, or this program's end */
	struct loop_timer unwritten; /* the file of roles */
	bool leaves;   /* the step ends: nothing is started any more */
	bool gives_up; /* and nobody directs it */
	int told_code; /* by a signal that all processes have; 0: not yet */
	int exit_code;
};

/* --- agent.c --- */

/* The secret, the request, the job, the plan and the file are set, the rest is
 * 0. Returns the exit code, or -1. */
int agent_run(struct agent *agent, struct err *err);
void agent_close(struct agent *agent);

/* --- talk.c --- */

/* Tell the director, by the words of one message (printf-like). */
void agent_tell(struct agent *agent, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* A message of the director; changed. */
void agent_message(struct agent *agent, char *text);

/* "dist-train: " and a line for the user. */
void agent_say(const char *line);

/* What can't go on here ends the step, with a line (printf-like). */
void agent_fault(struct agent *agent, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* End all that runs here at once; this program ends then, with 1. */
void agent_give_up(struct agent *agent);

/* The connection to another agent has ended with that errno, or 0. */
void agent_lose(struct agent *agent, int why);

/* The launchers that have ended were told of. */
void agent_ended(struct agent *agent);

/* --- roles_server.c --- */

struct roles_server *roles_server_open(struct agent *agent, struct err *err);
void roles_server_close(struct roles_server *server);

/* A message of this node's own agent. */
void roles_server_told(struct roles_server *server, const char *text);

/* All others are to give up, too. */
void roles_server_gives_up(struct roles_server *server);

/* The whole step was told to end by a signal. */
void roles_server_signalled(struct roles_server *server, int code);

/* --- here.c --- */

void here_init(struct here *here, struct agent *agent, unsigned world);
void here_close(struct here *here);

void here_start(struct here *here, unsigned round);
void here_end(struct here *here);
void here_signal(struct here *here, int signal); /* to all of its processes */
void here_save(struct here *here);		 /* its end-signal */
void here_tell(struct here *here, int signal);	 /* to who handles that */
void here_kill(struct here *here);

/* Children have ended: tell it, and remove what they have left. */
void here_reap(struct agent *agent);

/* Whether a world has processes on this node; its place there. */
static inline bool here_has(const struct agent *a, unsigned world,
			    unsigned *ret_index)
{
	const struct role_world *w = &a->roles.world[world];

	*ret_index = a->job.procid - w->node;
	return *ret_index < w->nnodes;
}

/* --- world_child.c --- */

struct world_child {
	const struct agent *agent;
	unsigned world, round, index; /* of this node in the world */
	unsigned char secret[SECRET_SIZE];
	int out; /* -1: the agent's own */
	const char
		*record; /* the folder of its record; "": none is kept here */
};

/* In the fork: become the world's launcher; fd[0] is the pipe for its secret.
 * Returns an exit code when it can't, after a line that says why. */
int world_child_run(const int fd[2], const void *child);

/* --- ready.c --- */

void ready_init(struct here *here);

/* Before the launcher starts: what is to be compared or passed on.
 * *ret_out is a descriptor for its standard output, or -1. Returns 0 or -1. */
int ready_prepare(struct here *here, int *ret_out, struct err *err);

/* It has started: agent_tell() when the world is ready, or is late. */
void ready_begin(struct here *here);
void ready_end(struct here *here);

/* --- cpu_parts.c --- */

/* The CPUs of a world on this node. Returns 0; or -1: there are too few. */
int cpu_part(const struct agent *agent, unsigned world, cpu_set_t *ret,
	     struct err *err);

/* --- world_record.c --- */

/* What has become of a world; `text` is a line for a person, or "". */
void world_note(const struct agent *agent, unsigned world, unsigned round,
		const char *state, const char *text);

/* What this node's launchers note of their worlds is passed on, from the begin
 * of a round of a world to its end. */
int records_open(struct agent *agent, struct err *err);
void record_begin(struct here *here);
void record_end(struct here *here);

/* --- roles_file.c --- */

/* Once the addresses of all worlds are known. Returns 0 or -1. */
int roles_file_open(struct agent *agent, struct err *err);

/* A world's state has changed: write the file, and tell who wants to know. What
 * can't be written is tried again. */
void roles_file_change(struct agent *agent);

/* --- port_blocks.c --- */

/* The first port of a block that is free on this node, for world `world` of
 * `n`, as role_plan.h says. No other step of ours on this node gets it while
 * this process lives. 0 with the error set: there is none. */
unsigned port_block_take(const struct agent *agent, unsigned world, unsigned n,
			 struct err *err);
