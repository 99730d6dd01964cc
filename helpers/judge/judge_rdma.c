/* SPDX-License-Identifier: Apache-2.0 */
/* InfiniBand and RoCE ports, what GPUs need of them, and NCCL's files. */
#include "helpers/judge/findings.h"

#include <stdio.h>
#include <string.h>

#define FEW_NODES 8 /* whose error counters are shown one by one */

/* A word of the fact rdma: DEVICE/PORT=STATE,PHYSICAL,GBPS,LAYER */
struct port {
	char name[40], state[16], physical[24], layer[16];
	unsigned gbps;
};

/* The next word; returns what is after it, or NULL at the end. */
static const char *read_port(const char *text, struct port *ret)
{
	int len = 0;

	if (sscanf(text, " %39[^=]=%15[^,],%23[^,],%u,%15s%n", ret->name,
		   ret->state, ret->physical, &ret->gbps, ret->layer,
		   &len) != 5)
		return NULL;
	return text + len;
}

static bool find_port(const char *text, const char *name, struct port *ret)
{
	while ((text = read_port(text, ret)))
		if (!strcmp(ret->name, name))
			return true;
	return false;
}

static bool is_active(const struct port *p)
{
	return !strcmp(p->state, "ACTIVE");
}

/* A port that works on `other` */
static void compare_port(const struct told *t, const struct port *there,
			 const char *other)
{
	struct port here;

	if (!find_port(t->text, there->name, &here))
		FAIL(t,
		     "compare lspci and dmesg of both nodes, and the names of "
		     "the devices (rdma link)",
		     "port %s isn't there; %s has it", there->name, other);
	else if (!is_active(&here))
		FAIL(t,
		     "check cable and switch port (ibstat, ethtool), and the "
		     "subnet manager where the link is up",
		     "port %s is %s (%s), but ACTIVE on %s", here.name,
		     here.state, here.physical, other);
	else if (strcmp(here.layer, there->layer) != 0)
		WARN(t, "set the same link type (mlxconfig LINK_TYPE_P1)",
		     "port %s is %s, but %s on %s", here.name, here.layer,
		     there->layer, other);
	else if (here.gbps < there->gbps)
		WARN(t,
		     "check cable and switch port: a worn cable makes a link "
		     "slower (ibstat, mlxlink)",
		     "port %s has %u Gb/s, but %u on %s", here.name, here.gbps,
		     there->gbps, other);
}

/* rdma PORT... */
static void judge_ports(const struct told *t)
{
	unsigned other, active = 0;
	const char *usual = doctor_usual(t->d, "rdma", &other), *at;
	bool waits = false;
	struct port p;

	for (at = t->text; (at = read_port(at, &p));) {
		active += is_active(&p);
		if (strcmp(p.state, "INIT") != 0 && strcmp(p.state, "ARMED"))
			continue;
		waits = true;
		FAIL(t, "check the subnet manager (sminfo, opensm)",
		     "port %s is %s: the link is up, but no subnet manager "
		     "has set it up",
		     p.name, p.state);
	}
	if (waits)
		return;
	/* Of two, neither is what is usual */
	if (t->d->nnodes == 2 && doctor_fact(t->d, !t->node, "rdma")) {
		other = !t->node;
		usual = doctor_fact(t->d, other, "rdma");
	}
	if (usual && strcmp(usual, t->text) != 0) {
		for (at = usual; (at = read_port(at, &p));)
			if (is_active(&p))
				compare_port(t, &p, t->d->node[other]);
	} else if (!active) {
		WARN(t,
		     "check cables and switch; NCCL takes TCP, which is slower",
		     "no InfiniBand or RoCE port is active");
	}
}

/* roce-gid INDEX[,INDEX]... */
static void judge_gid(const struct told *t)
{
	unsigned other;
	const char *usual = doctor_usual(t->d, "roce-gid", &other);

	if (usual && strcmp(usual, t->text) != 0)
		WARN(t,
		     "don't set NCCL_IB_GID_INDEX (NCCL 2.21 and later find "
		     "it), or make the addresses of the nodes alike",
		     "the GID index of RoCE v2 is %s, but %s on %s", t->text,
		     usual, t->d->node[other]);
}

/* rdma-errors PORT COUNTER=N... */
static void judge_errors(const struct told *t)
{
	if (t->d->nnodes <= FEW_NODES)
		FOUND(t, DOCTOR_OK, "",
		      "errors since the counters were cleared: %s", t->text);
	else
		FOUND(t, DOCTOR_OK, "",
		      "a port has counted errors (perfquery -x shows "
		      "them)");
}

/* rdma-peermem yes|no, where there are NVIDIA's GPUs with their own module */
static void judge_direct(const struct told *t)
{
	const char *module = doctor_fact(t->d, t->node, "gpu-module");

	if (module && !strcmp(t->text, "no") && strcmp(module, "open") != 0)
		WARN(t,
		     "modprobe nvidia_peermem, or install the driver's open "
		     "kernel modules (dma-buf)",
		     "no GPUDirect RDMA: nvidia_peermem isn't loaded");
}

/* nccl-conf FILE NAME=VALUE... */
static void judge_conf(const struct told *t)
{
	unsigned other;
	const char *usual = doctor_usual(t->d, "nccl-conf", &other);

	FOUND(t, DOCTOR_OK, "", "%s%s", t->text,
	      strstr(t->text, " NCCL_SOCKET_IFNAME=")
		      ? ": nic=auto leaves the interfaces to it"
		      : "; nic=auto may add NCCL_SOCKET_IFNAME");
	if (usual && strncmp(usual, t->text, strcspn(t->text, " ") + 1) == 0 &&
	    strcmp(usual, t->text) != 0)
		WARN(t, "use the same file on all nodes",
		     "%.*s differs from the one of %s",
		     (int)strcspn(t->text, " "), t->text, t->d->node[other]);
}

const struct doctor_check doctor_rdma_checks[] = {
	{"rdma", "rdma-note", .level = DOCTOR_WARN, .finding = "$1",
	 .remedy = "look into dmesg there (mlx5_core)"},
	{"rdma", "rdma-denied", .level = DOCTOR_WARN,
	 .finding = "$1 can't be opened by this user",
	 .remedy = "correct its permissions (0666, set by rdma-core's udev "
		   "rules), or bind it into the container; NCCL takes TCP "
		   "without it"},
	/* roce-none PORT */
	{"rdma", "roce-none", .level = DOCTOR_WARN,
	 .finding = "port $1 has no RoCE v2 GID with an IPv4 address",
	 .remedy = "give its interface an IPv4 address; NCCL has no RoCE v2 "
		   "address to take"},
	{"rdma", "roce-gid", .judge = judge_gid},
	{"rdma", "rdma", .judge = judge_ports,
	 .well = "the same ports are active on every node, at the same rate"},
	{"rdma-errors", "rdma-errors", .judge = judge_errors},
	{"gpudirect", "rdma-peermem", .judge = judge_direct},
	/* nccl-ifname FILE NAME=LIST */
	{"nccl-conf", "nccl-ifname", .level = DOCTOR_FAIL,
	 .finding = "no interface of the node is one of $1",
	 .remedy = "correct it: NCCL finds no interface and fails; nic=IFACE "
		   "sets another"},
	{"nccl-conf", "nccl-conf", .judge = judge_conf},
	{.name = NULL},
};
