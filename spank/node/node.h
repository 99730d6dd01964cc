/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What runs on a node between Slurm's start of a task and its program.
 *
 * apply.c		the task's environment, or the launcher before it
 * container.h, launcher_argv.c, prepend.c	how the launcher gets there
 * learning.c	the launcher where only the other launchers know more; what srun
 *		--async hasn't told
 * component_npus.c	the NPUs of its node, which Slurm tells no task
 * later_plugin.c	the same where another plugin's task_init follows
 * step_begin.c	the launchers' secret, the step's devices, the way to rank 0
 * inherited.c	what root alone may read, memory that launchers share, the
 *		keepers' way to theirs
 * step_cleanup.h	what is removed when a launcher was killed
 *
 * plugin.c calls it: in slurmstepd as root, where files of the node are read
 * before any container is entered, and in the forked task as the user, where
 * the plan is made (by task/, which dist-train exec uses, too). Nothing here
 * waits for another node or opens a connection to it (a name may be looked up):
 * that is the launcher's part.
 */
#pragma once

#include "core/base/envset.h"
#include "core/base/err.h"
#include "core/facts/handover.h"
#include "core/facts/job.h"
#include "core/plan/resolve.h"
#include "spank/slurm/adapter.h"
#include "sys/interfaces.h"
#include "task/task.h"

#include <slurm/spank.h>
#include <stdbool.h>

/* In the forked child, first of all. Slurm takes and clears a buffer of 256 KiB
 * for each variable that it sets: from here on it comes from the kernel, which
 * has cleared the pages that are used, and not from the heap. */
void apply_prepare(void);

/* In the forked child, as the user, just before the program is executed: make
 * the task's plan and give it its environment, or put the launcher before its
 * program. Where the node's first task has the launcher for this one, wait for
 * its word, and return in a child of this process. With explain=only the
 * process ends here, with 0. */
int apply_task(spank_t sp, const struct adapter *adapter, struct err *err);

/* Whether this task shows its node's error: the first one of the node. */
bool apply_shows_errors(spank_t sp);

/*
 * Pass the addresses in /etc/hccn.conf to the job's user. The driver's
 * installer makes the file readable for root only. Where the driver's library
 * and tool can't be used, it is the only source of device addresses.
 */

/* In slurmstepd, as root: the text of the file with its lines of addresses
 * alone (hccn_conf_keep_addresses()), to be freed; NULL when there is no file,
 * when it isn't a regular file of root's of at most HCCN_CONF_MAX bytes of
 * text, or when memory is short. The helper finds out what that means. No other
 * path is ever opened, no link followed, nothing waited for. */
char *hccn_conf_read(void);

/* In a task's own process, as the user: hand the text to the launcher, as a
 * sealed file in memory that is inherited under the number in HANDOVER_HCCN.
 * NULL hands over nothing. */
int hccn_conf_hand_over(spank_t sp, const char *text, struct err *err);

/*
 * The pair of sockets by which the keepers of a node's tasks reach the launcher
 * in its first task (core/facts/keeping.h): made in slurmstepd, as root, before
 * the tasks are, and without a name, so that nobody else reaches it. slurmstepd
 * itself never reads or writes there.
 */

/* Once for all tasks of the node, where the step may have a launcher for each
 * node; and tell the tasks, by the variable HANDOVER_KEEPERS, whether there is
 * one. Fails when the kernel has no socket or Slurm refuses the variable. */
int keepers_socket_make(spank_t sp, bool wanted, struct keepers_socket *ret,
			struct err *err);

/* In the first task: let the launcher inherit its end. `wanted` false: it has
 * none. */
int keepers_socket_hand_over(spank_t sp, const struct keepers_socket *sockets,
			     bool wanted, struct err *err);

/* All tasks have been started. A launcher or keeper that ends is noticed by the
 * others only when nobody else has its end. */
void keepers_socket_close(struct keepers_socket *sockets);

/*
 * Plugins whose line in plugstack.conf comes after ours: Slurm calls their
 * task_init after ours. If such a plugin enters a container, the image's
 * environment replaces what we have set; with pyxis the first task's values
 * also replace those of the node's other tasks.
 */

/* Whether a SPANK plugin with a task_init was loaded after ours. Call it where
 * no other thread forks. */
bool later_plugin_find(void);

/* Set the step's variables (ENV_OURS, ENV_FACT) and our hand-over variables
 * once more after such a plugin, whether it enters a container or not: the
 * static launcher, which Slurm will execute, gets them in a file in memory.
 * Fails when memory is short. */
int later_plugin_hand_over(spank_t sp, const struct job *job,
			   const struct envset *set, bool launcher,
			   struct err *err);

/* Make slurmstepd execute the launcher before the task's program, and hand
 * over what the launcher makes its plan from: the option's text, the
 * arguments, and what this task found out by itself. `set`: the environment of
 * its first process, after container_restore(). `for_node`: it is the launcher
 * of the node's other tasks, too. Fails, with the remedy, where the launcher
 * isn't installed or Slurm can't be made to start it. */
int prepend_launcher(spank_t sp, const struct adapter *adapter,
		     const struct task *task, const struct job *job,
		     bool for_node, const struct envset *set, struct err *err);

/*
 * A heterogeneous step whose plans need what the other components have
 * (doc/design/spank-slurm.md).
 */

/* The step's NPUs on this node, into job->gres and job->devices. Does nothing
 * where Slurm has told of devices, or the cluster has no NPUs. Fails when the
 * controller doesn't answer, and where it doesn't say which ones these are. */
int component_npus_find(spank_t sp, const struct adapter *adapter,
			struct job *job, struct err *err);

/* A set of LEARN_...: what the launchers have to tell each other; 0: nothing,
 * the plan can be made here. May put a guess into job->procs. Fails when memory
 * is short. */
int learning_wanted(spank_t sp, const struct request *request, struct job *job,
		    unsigned *ret, struct err *err);

/* Put the launcher before the program, which makes the plan when it has learned
 * that. Fails where the step can't be in any case, and as prepend_launcher().
 */
int learning_apply(spank_t sp, const struct adapter *adapter,
		   const struct task *task, struct job *job, unsigned what,
		   struct err *err);

/* In a heterogeneous step whose launchers tell each other what they have: an
 * error of this task is told there, once for the step. A task that just ended
 * would have Slurm kill the others, and srun's exit code would be theirs.
 * Returns -1 where there is no such meeting: the task ends. */
int learning_refuse(spank_t sp, const struct adapter *adapter,
		    const struct task *task, struct job *job,
		    const struct err *why);

/*
 * Memory that a node's tasks share (struct node_memory), and their launchers
 * (helpers/ranktable/ranktable_shared.c).
 */

/* In slurmstepd, before any task is forked: create the memory. Returns its
 * descriptor, which the caller closes; -1 when the step needs none, or when
 * memory is short. */
int node_memory_make(bool wanted);

/* In a task: what is the same for all tasks of the node. The first one to come
 * calls `find`; the others wait meanwhile, and have its answer, or its error.
 * Without that memory (-1) each one asks for itself. */
typedef int node_find_fn(void *arg, char ret[NODE_ANSWER_SIZE],
			 struct err *err);
int node_memory_once(int fd, enum node_question question, node_find_fn *find,
		     void *arg, char ret[NODE_ANSWER_SIZE], struct err *err);

/* In a task: let what it executes inherit the file; no-op for -1. */
int node_memory_hand_over(spank_t sp, int fd, struct err *err);

/*
 * The step's secret on a node: opened in slurmstepd, once for all tasks, which
 * inherit it. MUNGE opens it for the job's user alone, so that one thread acts
 * as this user for as long as munged needs.
 */

/* As root, before the tasks are. Waits for munged, as slurmstepd itself does
 * for each message. A failure is the launcher's to say. */
void node_secret_open(spank_t sp);

/* In a step of srun --async (struct job's unhooked); nothing in another. Where
 * task 0 is, which follows the network's topology where Slurm has one: one
 * question to stepmgr. Without an answer it is the first node, and task 0
 * checks that. */
void unhooked_ask_rank0(spank_t sp, struct job *job);

/* The task's command, which no srun has checked. Returns 0 or -1. */
int unhooked_check_command(spank_t sp, const struct task *task,
			   const struct plan *plan, struct err *err);

/* Make slurmstepd execute `program` before the task's own command: the command
 * follows after "--". Before Slurm 23.11 `program` replaces the command's first
 * word, which goes into HANDOVER_ARGV0. Fails when Slurm refuses. */
int prepend_program(spank_t sp, const char *program, struct err *err);

/* This node can't read the option, which srun has read: if srun is of another
 * release, that is why, and the error says so. */
void release_blame(spank_t sp, struct err *err);

/* In slurmstepd, before Slurm rewrites SLURM_STEP_GPUS and the visible-devices
 * variable for each task (wrongly, under device cgroups): keep the step's own
 * values under hand-over names, for all tasks, in the place of those that an
 * outer step may have left. */
int step_devices_keep(spank_t sp, struct err *err);

/*
 * How this node reaches rank 0's, asked of the kernel in slurmstepd, once for
 * all tasks of the node: netlink alone, no file and no name look-up.
 */

/* To rank 0's address, or where srun has told none to the loopback, which is
 * that of a step on one node: each task of another one asks for itself. */
void step_route_find(spank_t sp, const struct resolved *resolved,
		     struct route *ret);

/*
 * The profiles of a task: those that the user has chosen, or the
 * administrator's defaults of this node. The launcher gets their text.
 *
 * A process of the task's own reads them, with the user's effective id and a
 * limit of time: which defaults apply depends on texts of the user's, and the
 * folder may be on a file system that doesn't answer. slurmstepd itself, which
 * nobody can end, reads nothing.
 */

/* In task_init_privileged, before a container hides the node's files: set or
 * unset HANDOVER_PROFILE. Fails when a profile can't be read, not in time
 * either, or has a wrong line. */
int task_profile_keep(spank_t sp, const struct adapter *adapter,
		      struct err *err);
