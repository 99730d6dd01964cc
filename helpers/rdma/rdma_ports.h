/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The InfiniBand and RoCE ports of this node, as the kernel shows them in
 * /sys/class/infiniband. Runs as the job's user; needs no library.
 */
#pragma once

#include <stdbool.h>

#define RDMA_PORTS_MAX 64

struct rdma_port {
	char device[24]; /* "mlx5_0" */
	unsigned port;
	char state[16];	    /* "ACTIVE", "DOWN", "INIT", "ARMED" */
	char physical[24];  /* "LinkUp", "Polling", "Disabled" */
	unsigned rate_gbps; /* 0: unknown */
	bool infiniband;    /* else Ethernet: RoCE */
	int gid_index;	    /* of its RoCE v2 address with IPv4; -1: none */
	char errors[128];   /* counters that aren't zero: "symbol_error=3" */
};

struct rdma_ports {
	unsigned n; /* by device and port */
	struct rdma_port port[RDMA_PORTS_MAX];
	char denied[32]; /* a device of verbs that this user can't open */
	bool peermem;	 /* GPUDirect by the module nvidia_peermem */
};

/* All of them, from below the folder `root` ("" but in tests). Blocks as long
 * as the driver does: call it in a child. */
void rdma_look(const char *root, struct rdma_ports *ret);
