/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the ranks of a step meet: an address and a port of rank 0's node.
 */
#pragma once

#include "core/base/err.h"
#include "core/base/interface.h"
#include "core/facts/job.h"
#include "core/option/config.h"
#include "core/option/option.h"
#include "core/plan/resolve.h"

/* Where a coordinator port comes from. */
enum port_kind {
	PORT_ASKED,    /* the key port */
	PORT_RESERVED, /* the step's, reserved by Slurm */
	PORT_DERIVED,  /* from job, step and restart count */
};

struct coordinator {
	const char *addr; /* owned by the job or the request */
	const char *addr_source;
	unsigned port;
	enum port_kind port_kind;
};

/* Where the port comes from, for a person. */
const char *coordinator_port_source(const struct coordinator *coordinator);

/* Choose both by the keys addr and port. Where the address is told,
 * job->nic_addr is NULL until then and ret->addr is the name of the interface.
 * Where each process has a port, nports are needed on a node, of which the
 * coordinator's is the first. Fails when they can't be had. */
int coordinator_choose(const struct request *request,
		       const struct resolved *resolved,
		       const struct config *config, const struct job *job,
		       unsigned nports, struct coordinator *ret,
		       struct err *err);

struct plan;

/*
 * Which network interfaces a library is told to use: the key nic and what this
 * node has. Two kinds of libraries: those that meet on one interface and find
 * a wrong one by themselves (Gloo, TensorPipe, HCCL: plan_nic()), and those
 * that choose the paths of their data (NCCL, Open MPI, UCX). The second are
 * told only where their own choice would have an interface that leads to no
 * other node. doc/design/core-env.md has the rules and their sources.
 */

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
