/* SPDX-License-Identifier: Apache-2.0 */
/* Which step a command means, and where it runs: what Slurm says. */
#pragma once

#include "core/base/err.h"
#include "core/base/hostlist.h"
#include "core/base/ip.h"
#include "core/facts/auth.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * The administrator's ports, at which launchers meet: the argument ports= of
 * our plugin's line in plugstack.conf, which users may read. Where that file
 * isn't on this host, the usual ones. And Slurm's for srun (SrunPortRange).
 */

struct site_ports {
	unsigned min, max;	     /* 0: no line of ours was found */
	char option[64];	     /* the name of the plugin's option */
	char plugin[PATH_MAX];	     /* as the line names it */
	char file[PATH_MAX];	     /* in which the line stands */
	unsigned srun_min, srun_max; /* 0: any */
	char mpi_params[128];	     /* MpiParams of slurm.conf */
	char stagedir[PATH_MAX];     /* "": none */
	int stage;		     /* CONFIG_STAGE_... */
};

/* Ask Slurm for its files, and read them; and who vouches for users there.
 * Blocks, 20 s at most. */
void site_ports_find(struct site_ports *ret, struct auth *ret_auth);

/* The line of our plugin in a plugstack.conf, and in what it includes. Returns
 * 0, or -1: there is none, or it can't be read. */
int site_ports_read(const char *path, struct site_ports *ret);

/* In what `scontrol show config` has printed: Slurm's ports for srun and for
 * steps. */
void site_ports_srun(const char *config, struct site_ports *ret);

/* What `scontrol -o show WHAT [NAME]` prints, its complaints too: a line for
 * each. Blocks, 20 s at most. The caller frees it; NULL: no scontrol, or no
 * answer. */
char *scontrol_show(const char *what, const char *name, struct err *err);

/* What `scontrol -d show WHAT NAME` prints, for a person; the nodes and tasks
 * of a step, as sattach knows them. In the same way. */
char *scontrol_details(const char *what, const char *name);
char *sattach_layout(const char *step);

/* As squeue names the user's own running jobs, in the same way. */
char *squeue_own(struct err *err);

/* What sacct has of a job or step, "FIELD[,FIELD]...", with '|' between two and
 * a line for each of its runs, or for the last one; in the same way. */
char *sacct_show(const char *fields, const char *step, bool all_runs,
		 int limit_ms);

/*
 * The name of a step as people write it, and what `scontrol -o show` prints of
 * its job, its steps and their nodes. Pure. A job's name and comment are its
 * user's and stand there without quotes: nothing behind them is believed that
 * they could have forged.
 */

#define STEP_NAME_SIZE 64

/* "JOB" or "JOB.STEP"; JOB is a number, an element of an array (12_3), or a
 * component of a heterogeneous job (12+1). */
struct step_name {
	char job[STEP_NAME_SIZE];
	long step; /* -1: none is named */
};

/* Returns 0, or -1: it is no such name, or one of Slurm's own steps. */
int step_name_read(const char *text, struct step_name *ret, struct err *err);

/* Of a job. */
struct job_text {
	unsigned long id;
	unsigned long leader; /* of a heterogeneous job the first component's;
				 the id else */
	unsigned restart;     /* requeues */
	uid_t uid;
	gid_t gid;
	char state[32];
	/* how its steps are called: each of these, or "" */
	char plain[STEP_NAME_SIZE], shown[STEP_NAME_SIZE];
};

/* What `scontrol -o show job JOB` has printed. 0, or -1; 1: it is a
 * heterogeneous job, and its components (JOB+0) are to be asked for. */
int job_text_read(const char *text, const char *job, struct job_text *ret,
		  struct err *err);

/* A step that runs. */
struct step_text {
	long step; /* -1: none */
	uid_t uid;
	const char *nodes; /* in the text, with its length */
	size_t nodes_len;
	/* "HOST:PID"; "" not known. The step's name stands before it, and may
	 * hold another: it is where to look, and proves nothing. */
	char srun[HOSTLIST_NAME_MAX];
	unsigned nrunning; /* of the job, Slurm's own don't count */
};

/* What `scontrol -o show step JOB` has printed: the step `wanted`; -1: the
 * newest. */
void step_text_read(const char *text, const struct job_text *job, long wanted,
		    struct step_text *ret);

/* The next line's value of `key` (at a word's begin), copied and cut. Returns
 * whether it is there. */
bool text_value(const char *line, const char *key, char *ret, size_t size);

/* The begin of the next line, or of the end. */
const char *text_next_line(const char *line);

/* --- the step --- */

#define FOUND_NODES_MAX 256

struct found_node {
	char name[HOSTLIST_NAME_MAX];
	char addr[HOSTLIST_NAME_MAX]; /* NodeAddr: an address or a name */
};

struct found_step {
	/* As its processes have them in SLURM_JOB_ID and SLURM_STEP_ID: of a
	 * heterogeneous job the first component's. */
	unsigned long job_id, step_id;
	char name[STEP_NAME_SIZE + 16]; /* "12_3.0" */
	unsigned restart;		/* requeues of the job */
	uid_t uid;			/* whose job it is */
	gid_t gid;
	char job_state[32]; /* as Slurm writes it */
	bool running;	    /* else nothing of what follows is known */
	unsigned nnodes;
	struct found_node *node; /* the first `nfound`, in Slurm's order */
	unsigned nfound;
	struct found_node srun; /* its host; "" not known */
	unsigned srun_pid;
	struct site_ports ports; /* of this cluster */
	bool world; /* of a step with several roles: a part of its nodes, and
		       these ports alone */
	struct auth auth;
};

/* Ask Slurm for "JOB" or "JOB.STEP"; JOB may be an element of an array
 * ("12_3") or a component ("12+1"). NULL: the job in whose environment we are,
 * or else the only running one of the user. Without a step it is the newest one
 * that runs and isn't Slurm's own (batch, extern, interactive), and which of
 * several is said on standard error; of a job that has none, step_id is
 * (unsigned long)-1. Blocks, 20 s a question at most. Returns 0, or -1: no such
 * job or step, or Slurm doesn't answer. */
int step_find(const char *text, struct found_step *ret, struct err *err);
void found_step_clear(struct found_step *step);

/* That it doesn't run, for a command that needs it to. Returns -1. */
int found_step_is_over(const struct found_step *step, struct err *err);

/* Become the job's user, where root asks for him: what follows reads files and
 * secrets of his. Returns 0, or -1 when this is another user. */
int found_step_become_user(const struct found_step *step, struct err *err);

#define NODE_IPS_MAX 6

/* Names of nodes, each once, and as a text that isn't too long. Pure. */

#define NODE_NAMES_SHOWN 8 /* of them are in a text */
#define NODE_NAMES_SIZE	 (NODE_NAMES_SHOWN * (HOSTLIST_NAME_MAX + 2) + 32)

/* {0} is empty; node_names_clear() in the end. */
struct node_names {
	char (*name)[HOSTLIST_NAME_MAX];
	unsigned n;
};

/* Unless it is there. Returns 0, or -1: out of memory. */
int node_names_add(struct node_names *names, const char *name);
void node_names_clear(struct node_names *names);

/* "node1, node2", or "node1, ..., node8 and 12 more" where there are more, or
 * where `all` says so. Returns buf. */
const char *node_names_text(const struct node_names *names, unsigned all,
			    char buf[NODE_NAMES_SIZE]);
