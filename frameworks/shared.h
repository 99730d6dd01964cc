/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one framework's file has for others. Each part is in the file that it is
 * named after; all of it is called by the functions of struct framework.
 */
#pragma once

#include "core/plan/framework.h"
#include "core/plan/plan.h"

/* --- ddp.c --- */

/* The variables of init_method env://, as the member `env`. */
int ddp_env(const struct plan *plan, const struct process *process,
	    struct envset *set, struct err *err);

/* --- mpi.c: what an MPI program gets, as the members of these names --- */

int mpi_check(const struct plan *plan, struct err *err);
int mpi_env(const struct plan *plan, const struct process *process,
	    struct envset *set, struct err *err);

/* --- tf_config.c --- */

/* Add TF_CONFIG, as TensorFlow's TFConfigClusterResolver reads it: the address
 * of each process by role, and which of them the reader is. The evaluator is in
 * no cluster, as TensorFlow wants it. Where all processes are more than a
 * variable takes and `sparse` allows it, a worker is told itself and all ps, a
 * ps itself; else fails with the size. */
int tf_config_add(const struct plan *plan, const struct process *process,
		  bool sparse, struct envset *set, struct err *err);

/* --- ascend.c: what a process on an Ascend NPU gets --- */

/* The index by which the process opens its device, among those it sees. */
unsigned ascend_device_seen(const struct process *process);

/* The variables of ddp, ASCEND_DEVICE_ID (that index), DEVICE_ID (the number in
 * /dev), JOB_ID and the library's own. Returns 0 or -1. */
int ascend_common_env(const struct plan *plan, const struct process *process,
		      struct envset *set, struct err *err);

/* The rank table and the process's place in it, and nothing of a chief. Returns
 * 0 or -1. */
int ascend_table_env(const struct plan *plan, const struct process *process,
		     struct envset *set, struct err *err);

/* Without a table a process is known by the number of the device that it sees:
 * fails when two of a node may have the same. */
int ascend_check_numbers(const struct plan *plan, struct err *err);

/* --- ray.c: the key of those that have a dashboard --- */

enum { DASHBOARD, DASHBOARD_NKEYS };

extern const struct option_key dashboard_keys[DASHBOARD_NKEYS + 1];
