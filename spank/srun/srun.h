/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What runs in srun when the step exists and its tasks don't yet.
 *
 * srun alone can ask the controller about the whole step. What it learns goes
 * into its own environment, which Slurm sends to every task:
 * rank0.c (slurm/)	name and address of rank 0's node
 * ask_gres.c	devices of each node, where they differ
 * ask_procmap.c	which task is on which node
 * async.c	what an srun does that leaves before its step is
 * leave_alone.c	commands that the option isn't meant for
 * ask_features.c	features of the nodes, for profiles
 * step_start.h	the step's controller, a process beside srun
 * srun_liveness.h	how they see that srun lives, and srun that they do
 * Earlier, in slurm_spank_init, resv_ports.c and pmi.c look at srun's command
 * line (srun_prescan.c, cmdline.h) before srun has read it; so does
 * dist_option_compat.c, in sbatch and salloc too.
 *
 * plugin.c calls all of these. They run as the user who called srun, who could
 * write the same variables himself: the nodes trust none of them.
 */
#pragma once

#include "core/base/err.h"
#include "core/base/hostlist.h"
#include "core/command/wrapped_command.h"
#include "core/facts/step_command.h"
#include "core/option/config.h"
#include "core/option/option.h"
#include "core/plan/framework.h"
#include "core/plan/plan.h"
#include "core/plan/resolve.h"
#include "core/plan/srun_hint.h"
#include "core/topology/topology.h"
#include "spank/slurm/adapter.h"
#include "spank/slurm/step_job.h"
#include "spank/srun/step_start.h"
#include "sys/text_file.h"

#include <slurm/spank.h>
#include <stdbool.h>

/* In srun, when the step exists and its tasks don't yet: find out what no
 * node can know and hand it over through srun's environment. What fails here
 * makes every task end at once; the caller shows the error. */
int srun_hand_over(spank_t sp, const struct adapter *adapter, struct err *err);

/* What is said of the request before its step starts, once; and what its
 * framework wants of srun's environment and its --mpi. */
void srun_say_remarks(const struct request *request);
int srun_check_user(const struct request *request,
		    const struct resolved *resolved, struct err *err);

/* In slurm_spank_init_post_opt, when the request has been read: nothing but in
 * an srun --async, which leaves before its step exists. What needs it is
 * refused, and nothing is handed over, so that the nodes do as under
 * dist-train exec (struct job's unhooked). Returns 0 or -1. */
int async_begin(const struct adapter *adapter, struct err *err);

/*
 * The components of a heterogeneous step, which srun reads one after the other:
 * each may have the option for itself. Slurm tells all nodes the last one. What
 * the plugin learns later, when the step exists, reaches one component, so that
 * the nodes get these texts before (HANDOVER_COMPONENTS).
 */

/* In slurm_spank_init: an outer step's are nobody's here. */
void components_forget(void);

/* In slurm_spank_init_post_opt, for each component: `own` is the option that it
 * has on the command line, or NULL; `last` the one that counts where none has
 * one, or NULL. Fails where the components' options can't be those of one
 * world. */
int components_note(const char *own, const char *last,
		    const struct config *config, struct err *err);

/* Whether the step has several. */
bool components_there(void);

/* When the request of that component has been read: see whether its command is
 * one that runs as without the option (leave_alone_wanted()). The nodes are
 * told so where that is so of all: they wait for each other else. */
int components_leave(const struct adapter *adapter, struct err *err);
bool components_left_alone(void);

/* Then: bind the controller's ports and draw the secret, once, for all of them
 * (components_company.c). Fails where such a step can't have what is asked. */
int components_meet(const struct adapter *adapter, struct err *err);

/* What is in the environment before the step exists, and is this srun's own. */
bool components_have(const char *name);

/* When the step exists: the secret, for the caller to wipe; false: there is
 * none. And the ports, once; -1: why there are none. */
bool components_secret(struct handover_secret *ret);
int components_doors(struct step_doors *ret, struct err *err);

void components_clear(void);

/*
 * A file of roles, which is the step's program (core/roles/role_file.h).
 */

/* When the request has been read, and nothing has been asked for yet: read the
 * file that these words name, and hand it over. Fails with FILE:LINE:COLUMN. */
int roles_put(int argc, char *const argv[], const struct config *config,
	      struct err *err);

/* When the step exists: refuse a file whose roles don't fit on its nodes.
 * `counts` are the devices by task (struct gres). */
int roles_place(const char *name, unsigned nnodes, const char *counts,
		const struct config *config, struct err *err);

/*
 * Which of the job's nodes have the features that the administrator's default
 * profiles name. slurmstepd doesn't know the features of its node.
 */

/* In srun: "FEATURE=HOSTLIST;..." for the nodes
 * (core/option/profile_default.c), for the caller to free. *ret stays NULL, and
 * nobody is asked, where the user has chosen a profile or no default depends on
 * a feature; else that is one question to the controller. Returns 0 or -1. */
int ask_features(const struct request *request, const struct config *config,
		 char **ret, struct err *err);

/*
 * Devices as srun learns them from the controller. A node can't know how
 * many devices the other nodes have, and which of its generic devices (gres
 * without a plugin, such as npu) belong to the step.
 */

struct gres {
	char *counts;  /* devices by task, "8(x2),4", or NULL */
	char *indices; /* "node[1-2]:0-7;node3:0", or NULL */
	bool generic;  /* the step has devices that are generic */
};

/* Whether the step may have generic devices that are accelerators: slurm.conf
 * has some, and srun doesn't know better (own_job.c). */
bool gres_may_be_generic(void);

/* What the caller needs besides the indices of generic devices. */
struct ask_gres_wish {
	bool counts;  /* by task: the step has one task per node */
	bool indices; /* of GPUs too, if Slurm tells them */
	bool must;    /* fail if Slurm doesn't say them */
};

/* Ask the controller. Fails when the controller doesn't answer or Slurm doesn't
 * tell which devices the step has. Free with gres_clear(). */
int ask_gres(const struct srun_step *step, const struct ask_gres_wish *wish,
	     struct gres *ret, struct err *err);

/* Whether the step may have devices that the inventory tells a domain of: NPUs,
 * or what Slurm calls gpu. */
bool gres_may_have_domain(const struct gres *gres,
			  const struct resolved *resolved);

void gres_clear(struct gres *gres);

/* Devices of the job whose number a node isn't told, as it is of what Slurm
 * calls gpu; with `generic` also those of which the nodes of a heterogeneous
 * step ask themselves. NULL: there are none, or the controller doesn't answer.
 * `job_id` is that of the whole job. One question, and none where slurm.conf
 * has no such devices. */
const char *gres_uncounted(unsigned job_id, bool generic);

/*
 * The map of processes to nodes, which srun passes to the nodes for
 * frameworks in which each process must know where all others are. One
 * question to the controller.
 */

struct step_procmap {
	char *nodes, *tasks; /* as SLURM_STEP_NODELIST and _TASKS_PER_NODE */
	char *taskmap;	     /* core/facts/taskmap.h; NULL: blocks */
	char *addrs;	     /* an IP address for each of the nodes, or NULL */
	char first[HOSTLIST_NAME_MAX]; /* task 0's node */
	unsigned first_node;	       /* its number */
};

/* Addresses are looked up in recovery, with addr=ip, and with addr=auto where
 * the name of the first node means nothing on this host. Returns 0 or -1; free
 * with step_procmap_clear(). */
int ask_procmap(const struct srun_step *step, const struct request *request,
		const struct resolved *resolved, struct step_procmap *ret,
		struct err *err);
void step_procmap_clear(struct step_procmap *peers);

/*
 * In srun, with the keys order=topology or groups: where the step's nodes are
 * in the network, and their order in the world. One question to the controller
 * and one file, and neither without these keys.
 */

/* `inventory` is the administrator's file of NPUs, whose super pods are blocks;
 * NULL: there is none, or the step has no NPUs. Where this user can't read it
 * here, a line says so, and super pods don't count.
 * *ret_order is as in struct job, for the caller to free; NULL where it is
 * Slurm's own, and where Slurm knows no topology, or the key has no effect:
 * then a line has said so. *ret_topology is for topology_clear(), in each case;
 * nothing is in it where nothing has been asked. Returns 0, or -1 when
 * slurmctld doesn't answer, when a line of the inventory is wrong, or out of
 * memory. */
int ask_order(const struct request *request, const struct resolved *resolved,
	      const struct srun_step *step, const struct step_procmap *peers,
	      const char *inventory, struct topology *ret_topology,
	      char **ret_order, struct err *err);

/*
 * `--dist=block`, which means --distribution where this plugin isn't loaded.
 * Our option's name begins like Slurm's, so that Slurm would call the
 * abbreviation ambiguous: it becomes an option of its own, which gives the
 * value back to Slurm (doc/design/spank-srun.md).
 */

/* In srun, sbatch and salloc, from slurm_spank_init: register what `option`,
 * the name of our own, makes ambiguous. Nothing if that is nothing. Borrows
 * the name. A framework as the value is refused, with the option that takes
 * it. */
void dist_option_register(spank_t sp, const char *option);

/* All sources of the options have been read. */
void dist_option_end(void);

/*
 * Steps of a batch script that aren't its training: the daemons that mpirun
 * starts by srun, `srun hostname`, `srun mkdir`; or only a part of it, one of
 * several torchruns that have all they need from the script. They run as
 * without the option (doc/design/core-command.md).
 *
 * srun_hand_over() calls both, in srun, when the step exists.
 */

/* How the words of the step's program are read: a file of roles is no script.
 */
static inline read_script_fn script_reader(const struct adapter *adapter)
{
	return adapter->request.framework->program_is_file ? NULL
							   : text_file_read;
}

/* Whether the step of this command, on so many nodes, is to run as without the
 * option. The option of sbatch and salloc is meant for the training; one that
 * this srun has itself is always obeyed, and so is a wish to see the plan (key
 * explain). */
bool leave_alone_wanted(const struct adapter *adapter,
			const struct step_command *command, unsigned nnodes);

/* Tell the nodes to do nothing, and a person at a terminal why. Not a word in
 * a script, which may read srun's output. Returns 0, or -1 without memory. */
int leave_alone(const struct adapter *adapter,
		const struct step_command *command, struct err *err);

/*
 * What shows that a node doesn't have the plugin. Called by hand_over.c, in
 * srun.
 */

/*
 * What Slurm has to be told so that a step with recovery outlives a lost node:
 * --no-kill of the step and of its job (doc/design/spank-ending.md). Runs in
 * srun, sbatch and salloc, as the user.
 */

/* In slurm_spank_init: if the option on the command line, in the environment
 * or, for sbatch, in the script asks for recovery, --no-kill becomes the
 * default. */
void no_kill_choose(const struct config *config);

/* In slurm_spank_init_post_opt of sbatch and salloc, also without the option:
 * the job's steps find a mark where the job has --no-kill, or where it should
 * have it and the script can't be seen. Slurm itself tells nobody. */
void no_kill_mark_job(bool recovery);

/* In slurm_spank_init_post_opt of srun, for a step with recovery: srun doesn't
 * end the step by itself because of tasks that have ended. */
void no_kill_keep_step(void);

/* In srun, before the hand-over is unset. Refuses the step if its job ends with
 * the first lost node, as far as can be seen; says it where nothing can. */
int no_kill_check_job(const struct resolved *resolved, struct err *err);

/*
 * In srun: what its job can't have, told without a question to slurmctld. A job
 * that this srun makes for its one step has the devices that its own command
 * line and environment ask for, and no others.
 */

/* In slurm_spank_init: whether a job is there already. Later srun itself sets
 * the variables that tell. */
void own_job_remember(void);

/* Whether the step certainly has no device of this gres. False in a job that
 * was there before (its request isn't known here), where a plugin of the site
 * may add to requests, and wherever the name appears at all. */
bool own_job_lacks(const char *gres);

/*
 * PMI for frameworks whose processes find each other through it: srun decides
 * before it reads options whether the step gets it.
 */

/* In srun's slurm_spank_init: make PMIx the default of --mpi when the option
 * names a framework that needs it, or asks for exchange=pmix. --mpi,
 * SLURM_MPI_TYPE and the site's MpiDefault are stronger. */
void pmi_choose(const struct config *config);

/* In srun, when the step exists: fails, with the reason, when the step has no
 * PMI. `framework` is the name of the framework that needs it. */
int pmi_check(const char *framework, struct err *err);

/* The same for exchange=pmix, which accepts no other kind of PMI. */
int pmi_check_exchange(struct err *err);

/* In slurm_spank_init_post_opt of sbatch and salloc: refuses a job that asks
 * for requeue in the option and that Slurm can't requeue, as far as can be
 * seen. Returns 0 or -1. */
int requeue_check(const struct request *request, struct err *err);

/*
 * Ports that Slurm reserves for a step, where it would reserve too few by
 * itself: one more than a node has tasks.
 */

/* In srun's slurm_spank_init: make as many as the launchers' processes will
 * need the default of --resv-ports, as far as that can be told, and where
 * MpiParams has a range of that size. --resv-ports and SLURM_RESV_PORTS are
 * stronger. */
void resv_ports_choose(const struct config *config);

/* In srun, with the key groups: say which groups of ranks cross a block or a
 * switch. */

/* `plan` is task 0's, `step` what its world was made of. At most one line. Does
 * nothing without the key. Returns 0, or -1: groups-strict refuses the step, or
 * groups_report_make() has failed. */
int say_groups(const struct plan *plan, const struct job *step,
	       const struct topology *topology, struct err *err);

/*
 * Read srun's command line and environment before srun does.
 * slurm_spank_init is the only hook in which a variable can still change
 * srun's defaults.
 */

/* Tell each text of the option on srun's command line, where the program's own
 * arguments are taken for srun's; without one, what sbatch or salloc has handed
 * on (maybe nothing). */
void prescan_option(const struct config *config,
		    void (*each)(void *arg, const char *text), void *arg);

/* The same for the #SBATCH lines of the script that is on sbatch's command
 * line. One that comes by standard input isn't seen. */
void prescan_script_option(const struct config *config,
			   void (*each)(void *arg, const char *text),
			   void *arg);

/* Each word of the command line; each of that script's #SBATCH lines. */
void prescan_words(void (*each)(void *arg, const char *word), void *arg);
void prescan_script(void (*each)(void *arg, const char *word), void *arg);

/* What the command line and the environment say about the step. */
void prescan_step(struct srun_hint *ret);

/* In srun: variables of the hand-over that it has found in its environment. */

/* Unset all. Whatever has these names was left by another step, or set by hand:
 * the nodes must not get it, wherever srun fails afterwards. Returns 0, or -1
 * when out of memory. */
int stale_handover_unset(struct err *err);
