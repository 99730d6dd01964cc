/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names under which srun's side of the plugin hands facts to the nodes,
 * and a node's side to the launcher. They begin with SLURM because only such
 * names pass `--export=NONE`.
 */
#ifndef DT_CORE_HANDOVER_H
#define DT_CORE_HANDOVER_H

/* Raised whenever a name below changes its meaning. */
#define HANDOVER_VERSION 1

/* srun -> nodes */
#define HANDOVER_ID	    "SLURM_DIST_TRAIN_HANDOVER" /* VERSION:JOB.STEP */
#define HANDOVER_ERROR	    "SLURM_DIST_TRAIN_ERROR" /* refuse; srun printed why */
#define HANDOVER_NODE	    "SLURM_DIST_TRAIN_NODE" /* rank 0's NodeName */
#define HANDOVER_ADDR	    "SLURM_DIST_TRAIN_ADDR" /* its IP address */
#define HANDOVER_PROCS	    "SLURM_DIST_TRAIN_PROCS" /* counts by task: "8(x2)" */
#define HANDOVER_GRES	    "SLURM_DIST_TRAIN_GRES" /* "node[1-2]:0-7;..." */
#define HANDOVER_CREDENTIAL "SLURM_DIST_TRAIN_CREDENTIAL" /* the secret */
#define HANDOVER_SRUN_PORT  "SLURM_DIST_TRAIN_SRUN_PORT"  /* it lives */
#define HANDOVER_TERMINAL   "SLURM_DIST_TRAIN_TERMINAL" /* "1": srun's stderr */

/* slurmstepd -> tasks and launcher */
#define HANDOVER_REQUEST "SLURM_DIST_TRAIN_REQUEST" /* the option's text */
#define HANDOVER_CONFIG	 "SLURM_DIST_TRAIN_CONFIG"  /* lines of ARG=VALUE */
#define HANDOVER_GPUS	 "SLURM_DIST_TRAIN_GPUS"    /* the step's, by index */
#define HANDOVER_VISIBLE "SLURM_DIST_TRAIN_VISIBLE" /* NAME=step's value */
#define HANDOVER_NIC	 "SLURM_DIST_TRAIN_NIC"	    /* interface to rank 0 */
#define HANDOVER_ARGV0	 "SLURM_DIST_TRAIN_ARGV0"   /* the replaced argv[0] */
#define HANDOVER_SECRET	 "SLURM_DIST_TRAIN_SECRET"  /* its pipe, or why not */

#define HANDOVER_PREFIX "SLURM_DIST_TRAIN_"

/* Bytes of the secret that a step's launchers share. */
#define SECRET_SIZE 32

/* Between a task's last words and its end. slurmstepd and srun pass output on
 * and report exits independently, and an srun that kills on a bad exit stops
 * listening: without this one line in twenty was lost (Slurm 22.05). */
#define LAST_WORDS_US 100000

#endif
