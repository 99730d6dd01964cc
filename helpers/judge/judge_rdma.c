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
static void compare_port(struct doctor *d, const char *check, unsigned node,
			 const char *text, const struct port *there,
			 const char *other)
{
	struct port here;

	if (!find_port(text, there->name, &here))
		FAIL("compare lspci and dmesg of both nodes, and the names of "
		     "the devices (rdma link)",
		     "port %s isn't there; %s has it", there->name, other);
	else if (!is_active(&here))
		FAIL("check cable and switch port (ibstat, ethtool), and the "
		     "subnet manager where the link is up",
		     "port %s is %s (%s), but ACTIVE on %s", here.name,
		     here.state, here.physical, other);
	else if (strcmp(here.layer, there->layer) != 0)
		WARN("set the same link type (mlxconfig LINK_TYPE_P1)",
		     "port %s is %s, but %s on %s", here.name, here.layer,
		     there->layer, other);
	else if (here.gbps < there->gbps)
		WARN("check cable and switch port: a worn cable makes a link "
		     "slower (ibstat, mlxlink)",
		     "port %s has %u Gb/s, but %u on %s", here.name, here.gbps,
		     there->gbps, other);
}

/* rdma PORT... */
static void judge_ports(struct doctor *d, const char *check, unsigned node,
			const char *text)
{
	unsigned other, active = 0;
	const char *usual = doctor_usual(d, "rdma", &other), *at;
	bool waits = false;
	struct port p;

	for (at = text; (at = read_port(at, &p));) {
		active += is_active(&p);
		if (strcmp(p.state, "INIT") != 0 && strcmp(p.state, "ARMED"))
			continue;
		waits = true;
		FAIL("check the subnet manager (sminfo, opensm)",
		     "port %s is %s: the link is up, but no subnet manager "
		     "has set it up",
		     p.name, p.state);
	}
	if (waits)
		return;
	/* Of two, neither is what is usual */
	if (d->nnodes == 2 && doctor_fact(d, !node, "rdma")) {
		other = !node;
		usual = doctor_fact(d, other, "rdma");
	}
	if (usual && strcmp(usual, text) != 0) {
		for (at = usual; (at = read_port(at, &p));)
			if (is_active(&p))
				compare_port(d, check, node, text, &p,
					     d->node[other]);
	} else if (!active) {
		WARN("check cables and switch; NCCL takes TCP, which is slower",
		     "no InfiniBand or RoCE port is active");
	}
}

static void judge_verbs(struct doctor *d, const char *check, unsigned node,
			const char *text)
{
	WARN("correct its permissions (0666, set by rdma-core's udev rules), "
	     "or bind it into the container; NCCL takes TCP without it",
	     "%s can't be opened by this user", text);
}

/* roce-none PORT */
static void judge_no_gid(struct doctor *d, const char *check, unsigned node,
			 const char *text)
{
	WARN("give its interface an IPv4 address; NCCL has no RoCE v2 address "
	     "to take",
	     "port %s has no RoCE v2 GID with an IPv4 address", text);
}

/* roce-gid INDEX[,INDEX]... */
static void judge_gid(struct doctor *d, const char *check, unsigned node,
		      const char *text)
{
	unsigned other;
	const char *usual = doctor_usual(d, "roce-gid", &other);

	if (usual && strcmp(usual, text) != 0)
		WARN("don't set NCCL_IB_GID_INDEX (NCCL 2.21 and later find "
		     "it), or make the addresses of the nodes alike",
		     "the GID index of RoCE v2 is %s, but %s on %s", text,
		     usual, d->node[other]);
}

/* rdma-errors PORT COUNTER=N... */
static void judge_errors(struct doctor *d, const char *check, unsigned node,
			 const char *text)
{
	if (d->nnodes <= FEW_NODES)
		doctor_find(d, DOCTOR_OK, check, node, "",
			    "errors since the counters were cleared: %s", text);
	else
		doctor_find(d, DOCTOR_OK, check, node, "",
			    "a port has counted errors (perfquery -x shows "
			    "them)");
}

/* rdma-peermem yes|no, where there are NVIDIA's GPUs with their own module */
static void judge_direct(struct doctor *d, const char *check, unsigned node,
			 const char *text)
{
	const char *module = doctor_fact(d, node, "gpu-module");

	if (module && !strcmp(text, "no") && strcmp(module, "open") != 0)
		WARN("modprobe nvidia_peermem, or install the driver's open "
		     "kernel modules (dma-buf)",
		     "no GPUDirect RDMA: nvidia_peermem isn't loaded");
}

static void judge_note(struct doctor *d, const char *check, unsigned node,
		       const char *text)
{
	WARN("look into dmesg there (mlx5_core)", "%s", text);
}

/* nccl-ifname FILE NAME=LIST */
static void judge_ifname(struct doctor *d, const char *check, unsigned node,
			 const char *text)
{
	FAIL("correct it: NCCL finds no interface and fails; nic=IFACE sets "
	     "another",
	     "no interface of the node is one of %s", text);
}

/* nccl-conf FILE NAME=VALUE... */
static void judge_conf(struct doctor *d, const char *check, unsigned node,
		       const char *text)
{
	unsigned other;
	const char *usual = doctor_usual(d, "nccl-conf", &other);

	doctor_find(d, DOCTOR_OK, check, node, "", "%s%s", text,
		    strstr(text, " NCCL_SOCKET_IFNAME=")
			    ? ": nic=auto leaves the interfaces to it"
			    : "; nic=auto may add NCCL_SOCKET_IFNAME");
	if (usual && strncmp(usual, text, strcspn(text, " ") + 1) == 0 &&
	    strcmp(usual, text) != 0)
		WARN("use the same file on all nodes",
		     "%.*s differs from the one of %s", (int)strcspn(text, " "),
		     text, d->node[other]);
}

const struct doctor_check doctor_rdma_checks[] = {
	{"rdma", "rdma-note", judge_note, NULL},
	{"rdma", "rdma-denied", judge_verbs, NULL},
	{"rdma", "roce-none", judge_no_gid, NULL},
	{"rdma", "roce-gid", judge_gid, NULL},
	{"rdma", "rdma", judge_ports,
	 "the same ports are active on every node, at the same rate"},
	{"rdma-errors", "rdma-errors", judge_errors, NULL},
	{"gpudirect", "rdma-peermem", judge_direct, NULL},
	{"nccl-conf", "nccl-ifname", judge_ifname, NULL},
	{"nccl-conf", "nccl-conf", judge_conf, NULL},
	{NULL, NULL, NULL, NULL},
};
