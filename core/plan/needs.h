/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_CORE_PLAN_NEEDS_H
#define DT_CORE_PLAN_NEEDS_H

/* What has to be found out before a framework's environment can be made. */
enum framework_needs {
	NEEDS_COORDINATOR = 1 << 0,   /* address and port of rank 0's node */
	NEEDS_DEVICES = 1 << 1,	      /* which devices each node has */
	NEEDS_NIC = 1 << 2,	      /* the interface that routes to rank 0 */
	NEEDS_ERROR_FILE = 1 << 3,    /* a place for torch's error files */
	NEEDS_NPU_ADDRESSES = 1 << 4, /* those of each node's NPUs */
	NEEDS_PMI = 1 << 5,	      /* PMIx or PMI-2 in each task */
	NEEDS_PROCMAP = 1 << 6,	      /* the place and a port of each process */
	NEEDS_TASKMAP = 1 << 7,	      /* the place of each process */
	NEEDS_ADDRESSES = 1 << 8,     /* of all nodes, not their names */
	NEEDS_COUNTS = 1 << 9,	      /* the number of devices of each node */
	NEEDS_HOST_FILE = 1 << 10,    /* and a way to all nodes, for mpirun */
	NEEDS_CERTIFICATE = 1 << 11,  /* of the step, for TLS; with a service */
	NEEDS_PEERS = 1 << 12,	      /* place, port and address of each
					 process, as variables */
	NEEDS_OWN_ADDRESS = 1 << 13,  /* of the node, on that interface */
};

#endif
