/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `dist-train doctor`: what the program on the batch host and those that it
 * starts on the nodes share.
 *
 * srun is the only connection: the host writes lines into its standard input,
 * which all nodes read, and reads their lines from its standard output. A node
 * tells its facts without being asked and "ready" after them, then answers:
 *
 *	clock N			NODE clocked N MICROSECONDS
 *	munge CREDENTIAL	NODE munge ...
 *	token UID CLUSTER TOKEN	NODE token ...	(where AuthType is auth/slurm)
 *	listen NODE ADDR	NODE listening PORT
 *	reach NODE ADDR PORT	NODE' reach ...  (from all others)
 *	pairs			NODE door ADDR|- PORT
 *	meet ROUND NODE NODE' ADDR PORT WORD
 *				NODE met ROUND RATE AGAIN  (and NODE')
 *	ping NODE ID ADDR	NODE ping ...
 *	end			NODE done
 */
#pragma once

#include "core/base/err.h"
#include "core/facts/auth.h"
#include "helpers/judge/findings.h"
#include "sys/subprocess.h"

#include <stdbool.h>

#define DOCTOR_CALL_MS 5000 /* one look-up, one call of a tool */

struct doctor_options {
	const char *nodes;   /* host list, or NULL: all of the allocation */
	const char *program; /* or NULL */
	unsigned port_min, port_max;
	unsigned timeout_s;
	bool json;
	bool pairs;
	bool all_reduce;
	unsigned all_reduce_s; /* how long it may take */
	const char *python;    /* or NULL: the one in PATH */
	/* on a node */
	const char *first;	/* NodeName of the first node */
	const char *first_addr; /* its NodeAddr */
	const char *plugindir;	/* Slurm's */
	bool alone;		/* the only node */
	/* The plugin, and the plugstack.conf that names it, as the host has
	 * them; NULL: not known */
	const char *plugin, *plugstack;
	struct auth auth; /* the cluster's issuer, as the host knows it */
};

/* Write one fact of this node. */
void doctor_tell(const char *key, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* As Slurm calls this node. */
const char *doctor_here(void);

/* --- a node's side --- */

/* All of it. Returns the exit status. */
int doctor_node(const struct doctor_options *options);

/* The parts of it: names and routes; ports; what is left; NPUs;
 * GPUs and RDMA ports; NCCL's files; Slurm's libraries; our own files. */
void doctor_look_net(const struct doctor_options *options);
void doctor_look_ports(const struct doctor_options *options);
void doctor_look_leftovers(void);
void doctor_look_npus(void);
void doctor_look_hardware(const struct doctor_options *options);
void doctor_look_slurm(const struct doctor_options *options);
void doctor_look_install(const struct doctor_options *options);

/* Listen at the node's address in a process of its own and tell the port; talk
 * to it; ask NPU `id` to reach an address. */
void doctor_listen(const struct doctor_options *options, const char *addr);
void doctor_reach(const char *addr, unsigned port);
void doctor_ping(unsigned id, const char *addr);

/* Wait for others at a port and tell it; measure with another node, if this one
 * is named in the line. */
void doctor_open_door(const struct doctor_options *options);
void doctor_meet(const char *line);

/* Whether a credential is good here; a new one, for the caller to free, or NULL
 * and why there is none. */
void doctor_munge_check(const char *credential);
char *doctor_munge_make(struct err *err);
void doctor_token_check(const char *uid, const char *cluster,
			const char *token);

/* --- the host's side --- */

/* Start srun, ask all and keep their facts. Nodes that don't answer in time
 * are missing then. */
int doctor_ask(const struct doctor_options *options, const char *nodes,
	       struct doctor *doctor, struct err *err);

/* The findings; in JSON with what --pairs and --all-reduce have measured, or
 * NULL. The first fails when out of memory. */
struct all_reduce;

/*
 * The srun that starts `dist-train doctor --node-report` on each node, and the
 * one of `--all-reduce`.
 */

/* Start it for the nodes of the host list, with pipes to and from all of them;
 * that to them is non-blocking. What Slurm knows of the first one and of its
 * plugins is asked of scontrol before. */
int doctor_srun_start(const struct doctor_options *options, const char *nodes,
		      const struct doctor *doctor, struct subprocess *ret,
		      struct err *err);

/* A line of srun's that tells which tasks have ended by themselves, "srun:
 * error: node[2-3]: tasks 1-2: Exited with exit code 2", or couldn't be
 * started: each of these nodes that isn't ready has the fact "gone", or
 * "refused", then. Returns how many. */
unsigned doctor_srun_gone(struct doctor *doctor, const char *line);

/* Close the pipes, wait a little, and end it. */
void doctor_srun_end(struct subprocess *srun);
