/* SPDX-License-Identifier: Apache-2.0 */
/* Names, routes, ports and clocks. */
#include "core/base/ip.h"
#include "helpers/judge/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLOCK_WARN_US 1000000LL
#define CLOCK_FAIL_US 240000000LL /* MUNGE's credentials live 300 s */

/* What a node found for a name. */
struct resolved {
	char name[256], addr[64];
	bool missing;	 /* the name has no address there */
	const char *why; /* nobody else can use that address; or NULL */
};

/* NAME ADDR, or NAME - */
static bool read_resolved(const char *text, struct resolved *ret)
{
	struct ip ip;

	if (sscanf(text, "%255s %63s", ret->name, ret->addr) != 2)
		return false;
	ret->missing = !strcmp(ret->addr, "-");
	ret->why = NULL;
	if (ip_parse(ret->addr, strlen(ret->addr), &ip) == 0)
		ret->why = ip_unusable(&ip);
	return true;
}

/* own NAME ADDR|- */
static void judge_own(struct doctor *d, const char *check, unsigned node,
		      const char *text)
{
	struct resolved r;

	if (!read_resolved(text, &r))
		return;
	if (r.missing)
		WARN("add the host's name to DNS or /etc/hosts",
		     "the host can't resolve its own name");
	else if (r.why && d->nnodes > 1)
		WARN("keep nic=auto, or give the name its real address in "
		     "/etc/hosts: a program that looks up its own name would "
		     "listen where no other node can reach it",
		     "the host's own name resolves to %s, %s", r.addr, r.why);
}

/* name NODENAME ADDR|-: of the first node */
static void judge_name(struct doctor *d, const char *check, unsigned node,
		       const char *text)
{
	struct resolved r;

	if (!read_resolved(text, &r))
		return;
	if (r.missing)
		WARN("keep addr=auto; addr=name needs the NodeName in DNS or "
		     "/etc/hosts of every node",
		     "the name %s can't be resolved", r.name);
	else if (r.why && node)
		WARN("keep addr=auto, or correct DNS or /etc/hosts",
		     "the name %s resolves to %s there, %s", r.name, r.addr,
		     r.why);
}

/* first NODEADDR ADDR|-: what Slurm reaches the first node by */
static void judge_first(struct doctor *d, const char *check, unsigned node,
			const char *text)
{
	struct resolved r;

	if (!read_resolved(text, &r))
		return;
	if (r.missing)
		FAIL("set NodeAddr of that node in slurm.conf to an address "
		     "that every node can resolve",
		     "%s, NodeAddr of %s, can't be resolved", r.name,
		     d->node[0]);
	else if (r.why && d->nnodes > 1 && node)
		FAIL("set NodeAddr of that node in slurm.conf, or correct "
		     "DNS and /etc/hosts",
		     "NodeAddr of %s resolves to %s there, %s", d->node[0],
		     r.addr, r.why);
}

/* route INTERFACE MTU, or -; the first node has its own name, which may be a
 * loopback address there */
static void judge_route(struct doctor *d, const char *check, unsigned node,
			const char *text)
{
	if (node && !strcmp(text, "-"))
		FAIL("add a route, or choose an address of that node in a "
		     "common network (NodeAddr, or the key addr=nic:IFACE)",
		     "no route to %s", d->node[0]);
	else if (node && !strncmp(text, "lo ", 3))
		FAIL("correct the address of that node in /etc/hosts",
		     "the route to %s leads to the loopback interface",
		     d->node[0]);
}

static long mtu_of(const char *text)
{
	long mtu;

	return text && sscanf(text, "%*s %ld", &mtu) == 1 ? mtu : -1;
}

static void judge_mtu(struct doctor *d, const char *check, unsigned node,
		      const char *text)
{
	long mtu = mtu_of(text), first = -1;
	unsigned i = 0;

	for (; i < d->nnodes && first < 0; i++)
		first = mtu_of(doctor_fact(d, i, "route"));
	if (mtu > 0 && mtu != first)
		WARN("set the same MTU on every node and switch port: RDMA "
		     "needs it, and large packets may be lost",
		     "MTU %ld, but %ld on %s", mtu, first, d->node[i - 1]);
}

/* reach ok, or why not */
static void judge_reach(struct doctor *d, const char *check, unsigned node,
			const char *text)
{
	const char *ports = doctor_fact(d, node, "ports");
	unsigned min, max;

	snprintf(d->open_ports, sizeof(d->open_ports),
		 "open the ports of the administrator's range");
	if (ports && sscanf(ports, "%u %u", &min, &max) == 2)
		snprintf(d->open_ports, sizeof(d->open_ports),
			 "open the ports %u-%u", min, max);
	strcat(d->open_ports,
	       " between compute nodes; if only large packets are lost, "
	       "compare the MTU of interfaces and switches");
	if (strcmp(text, "ok") != 0)
		FAIL(d->open_ports, "can't communicate with %s: %s", d->node[0],
		     text);
}

/* pair-verdict LEVEL TEXT, by the rules of check=full */
static void judge_pair(struct doctor *d, const char *check, unsigned node,
		       const char *text)
{
	unsigned level;
	int at = 0;

	if (sscanf(text, "%u %n", &level, &at) == 1 && at &&
	    (level == DOCTOR_WARN || level == DOCTOR_FAIL))
		doctor_find(d, level, check, node,
			    "check cables, ports and rate of that node (the "
			    "check rdma, ethtool, mlxlink), and what else uses "
			    "its network",
			    "%s", text + at);
}

/* ports MIN MAX BUSY */
static void judge_ports(struct doctor *d, const char *check, unsigned node,
			const char *text)
{
	unsigned min, max, busy;

	if (sscanf(text, "%u %u %u", &min, &max, &busy) != 3)
		return;
	if (busy > max - min)
		FAIL("choose another range: ports= in plugstack.conf",
		     "none of the ports %u-%u is free", min, max);
	else if (busy > (max - min + 1) / 10)
		WARN("find out which programs use them (ss -ltnp), or choose "
		     "another range: ports= in plugstack.conf",
		     "%u of the ports %u-%u are in use", busy, min, max);
}

/* ephemeral MIN MAX OUR-MIN OUR-MAX */
static void judge_ephemeral(struct doctor *d, const char *check, unsigned node,
			    const char *text)
{
	unsigned first, last, min, max;

	if (sscanf(text, "%u %u %u %u", &first, &last, &min, &max) == 4 &&
	    min <= last && max >= first)
		WARN("choose ports= outside of "
		     "net.ipv4.ip_local_port_range",
		     "the kernel may give any connection a port of %u-%u, and "
		     "%u-%u are among these",
		     first, last, min, max);
}

/* clock OFFSET_US BOUND_US, against the host of doctor */
static void judge_clock(struct doctor *d, const char *check, unsigned node,
			const char *text)
{
	long long offset, bound, least;

	if (sscanf(text, "%lld %lld", &offset, &bound) != 2)
		return;
	least = llabs(offset) - bound;
	if (least > CLOCK_FAIL_US)
		FAIL("synchronise the clock (chrony, ntpd): MUNGE's "
		     "credentials expire",
		     "the clock is %.1f s off (+-%.3f s)", offset / 1e6,
		     bound / 1e6);
	else if (least > CLOCK_WARN_US)
		WARN("synchronise the clock (chrony, ntpd): logs and timelines "
		     "of the nodes can't be compared",
		     "the clock is %.1f s off (+-%.3f s)", offset / 1e6,
		     bound / 1e6);
}

const struct doctor_check doctor_net_checks[] = {
	{"names", "own", judge_own, NULL},
	{"names", "name", judge_name, NULL},
	{"names", "first", judge_first,
	 "names resolve, none to a loopback address"},
	{"route", "route", judge_route, "each node has a route to the first"},
	{"pairs", "pair-verdict", judge_pair,
	 "no node's network is far slower or loses more than the others'"},
	{"mtu", "route", judge_mtu, "the same MTU on every node"},
	{"reach", "reach", judge_reach,
	 "each node communicates with the first, with large packets too"},
	{"ports", "ports", judge_ports, NULL},
	{"ports", "ephemeral", judge_ephemeral, "enough ports are free"},
	{"clock", "clock", judge_clock, "clocks agree"},
	{NULL, NULL, NULL, NULL},
};
