/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions to Slurm's controller: srun asks them, once per step, only for a
 * step that uses the option and only when a node can't know the answer. With
 * the keys end-signal and requeue it asks again how the job stands. Nodes ask
 * in a heterogeneous step: for rank 0's address where its name means nothing,
 * and for their NPUs. Slurm's public API, one RPC each.
 */
#pragma once

#include "core/base/err.h"
#include "core/facts/auth.h"
#include "core/facts/port.h"
#include "spank/slurm/job_life.h"

#include <slurm/slurm.h>
#include <stdbool.h>

/* The step's layout: which task is on which node. Free with
 * slurm_job_step_layout_free(). NULL on failure. */
slurm_step_layout_t *slurmctld_layout(unsigned job_id, unsigned step_id,
				      struct err *err);

/* The address of a node as srun itself uses it to start tasks: NodeAddr,
 * resolved, from srun's own copy of the configuration (and its cache, so that
 * the look-up isn't made twice); the controller is asked only for a node that
 * this copy doesn't have. Returns 0 or -1. */
int slurmctld_node_addr(const char *node, slurm_addr_t *ret, struct err *err);

/* The same from the controller alone, for a task: its process has no copy of
 * the configuration. */
int slurmctld_ask_node_addr(const char *node, slurm_addr_t *ret,
			    struct err *err);

/* The record of a node, or of all nodes of the cluster (NULL). Free with
 * slurm_free_node_info_msg(). NULL on failure. */
node_info_msg_t *slurmctld_nodes(const char *node, struct err *err);

/* The job's devices, node by node (gres_detail_str). Free with
 * slurm_free_job_info_msg(). NULL on failure. */
job_info_msg_t *slurmctld_job(unsigned job_id, struct err *err);

/* The record of that job: in the answer about an array or a heterogeneous job
 * there may be several. */
const job_info_t *slurmctld_job_of(const job_info_msg_t *msg, unsigned job_id);

/* How the job stands. Returns 0 or -1. */
int slurmctld_job_life(unsigned job_id, struct job_life *ret, struct err *err);

/* Whether the site lets jobs have --requeue=expedite: no RPC. */
bool slurmctld_expedites(void);

/* What the step asked for (tres_per_node and its like), or all of the job
 * (NO_VAL). Free with
 * slurm_free_job_step_info_response_msg(). NULL on failure. */
job_step_info_response_msg_t *slurmctld_step(unsigned job_id, unsigned step_id,
					     struct err *err);

/* Which nodes share a switch or a block, as `scontrol show topology` prints it
 * (core/topology/topology_read.c), for the caller to free; "" where Slurm has
 * no topology. NULL on failure. */
char *slurmctld_topology(struct err *err);

/* GresTypes of slurm.conf, as this process has read it, or NULL: no RPC. */
const char *slurmctld_gres_types(void);

/* Whether slurm.conf has a TaskProlog. */
bool slurmctld_has_task_prolog(void);

/* Whether a plugin of the site may change what a job asks for: JobSubmitPlugins
 * or CliFilterPlugins. True where slurm.conf isn't known. */
bool slurmctld_alters_requests(void);

/* PluginDir and MpiDefault of slurm.conf, as this process has read it, or
 * NULL. */
const char *slurmctld_plugin_dirs(void);
const char *slurmctld_mpi_default(void);

/* How many ports Slurm can reserve for steps (MpiParams=ports=), as this
 * process has read it; 0: none. */
unsigned slurmctld_resv_ports(void);

/* Make srun end the step when a task fails, as `srun -K` does; what the user
 * said about it (-K, SLURM_KILL_BAD_EXIT) stays stronger. */
void slurmctld_kill_on_bad_exit(void);

/* Set it back to what slurm.conf says. */
void slurmctld_undo_kill_on_bad_exit(void);

/* Make srun go on when tasks end, whatever slurm.conf says: no kill on a bad
 * exit, no wait for the others (WaitTime). */
void slurmctld_keep_going(void);

/* Of this plugin, which srun unloads before its end. */
void slurmctld_stay_loaded(void);

/* Make srun exit with `code`, whatever its tasks have reported and however it
 * ends. */
void slurmctld_exit_with(int code);

/* Make srun abort its step, as after Ctrl-C twice. srun waits 3 s, with code 0
 * 2 s, instead of KillWait for tasks that don't answer. If no task has reported
 * a failure, srun exits with `code` instead of 0. */
void slurmctld_give_up(int code);

/* Whether jobs may be requeued by default (JobRequeue); true: not known. */
bool slurmctld_requeues_jobs(void);

/* Requeue a batch job; one that somebody else has requeued already stays so.
 * Returns 0, or -1 with slurmctld's reason. */
int slurmctld_requeue(unsigned job_id, struct err *err);

/* Who vouches for users on this cluster, as slurm.conf says. */
void slurmctld_auth(struct auth *ret);

/* In srun, before it has asked the controller: MUNGE is loaded then, if it is
 * what Slurm uses. */
void slurmctld_load_auth(void);

/* The socket of munged that AuthInfo names, to be freed by the caller; NULL:
 * none. */
char *slurmctld_munge_socket(void);

/* Whether slurm.conf limits srun's ports (SrunPortRange), and to which. */
bool slurmctld_srun_ports(struct port_range *ret);

/* [min, max], without what slurm.conf reserves for steps (MpiParams). */
struct port_range slurmctld_spare_ports(unsigned min, unsigned max);
