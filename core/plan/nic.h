/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which network interfaces a library is told to use: the key nic and what this
 * node has. Two kinds of libraries: those that meet on one interface and find
 * a wrong one by themselves (Gloo, TensorPipe, HCCL: plan_nic()), and those
 * that choose the paths of their data (NCCL, Open MPI, UCX). The second are
 * told only where their own choice would have an interface that leads to no
 * other node. doc/design/core-env.md has the rules and their sources.
 */
#ifndef DT_CORE_PLAN_NIC_H
#define DT_CORE_PLAN_NIC_H

#include "core/base/interface.h"
#include "core/plan/plan.h"

#define NIC_LIST_SIZE (INTERFACES_MAX * INTERFACE_NAME_SIZE)

/* Comma-separated names, and why. */
struct nic_list {
	char names[NIC_LIST_SIZE]; /* empty: the library's own choice */
	const char *source;
};

/* The interface of plan_nic(), once the plan has request and job. Called by
 * plan_make(). */
void nic_choose(struct plan *plan);

/* What NCCL is told, by its own order of choice. */
void nic_nccl(const struct plan *plan, struct nic_list *ret);

/* What a library is told that would use all interfaces (Open MPI, UCX). */
void nic_tcp(const struct plan *plan, struct nic_list *ret);

#endif
