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
static void judge_own(const struct told *t)
{
	struct resolved r;

	if (!read_resolved(t->text, &r))
		return;
	if (r.missing)
		WARN(t, "add the host's name to DNS or /etc/hosts",
		     "the host can't resolve its own name");
	else if (r.why && t->d->nnodes > 1)
		WARN(t,
		     "keep nic=auto, or give the name its real address in "
		     "/etc/hosts: a program that looks up its own name would "
		     "listen where no other node can reach it",
		     "the host's own name resolves to %s, %s", r.addr, r.why);
}

/* name NODENAME ADDR|-: of the first node */
static void judge_name(const struct told *t)
{
	struct resolved r;

	if (!read_resolved(t->text, &r))
		return;
	if (r.missing)
		WARN(t,
		     "keep addr=auto; addr=name needs the NodeName in DNS or "
		     "/etc/hosts of every node",
		     "the name %s can't be resolved", r.name);
	else if (r.why && t->node)
		WARN(t, "keep addr=auto, or correct DNS or /etc/hosts",
		     "the name %s resolves to %s there, %s", r.name, r.addr,
		     r.why);
}

/* first NODEADDR ADDR|-: what Slurm reaches the first node by */
static void judge_first(const struct told *t)
{
	struct resolved r;

	if (!read_resolved(t->text, &r))
		return;
	if (r.missing)
		FAIL(t,
		     "set NodeAddr of that node in slurm.conf to an address "
		     "that every node can resolve",
		     "%s, NodeAddr of %s, can't be resolved", r.name,
		     t->d->node[0]);
	else if (r.why && t->d->nnodes > 1 && t->node)
		FAIL(t,
		     "set NodeAddr of that node in slurm.conf, or correct "
		     "DNS and /etc/hosts",
		     "NodeAddr of %s resolves to %s there, %s", t->d->node[0],
		     r.addr, r.why);
}

/* route INTERFACE MTU, or -; the first node has its own name, which may be a
 * loopback address there */
static void judge_route(const struct told *t)
{
	if (t->node && !strcmp(t->text, "-"))
		FAIL(t,
		     "add a route, or choose an address of that node in a "
		     "common network (NodeAddr, or the key addr=nic:IFACE)",
		     "no route to %s", t->d->node[0]);
	else if (t->node && !strncmp(t->text, "lo ", 3))
		FAIL(t, "correct the address of that node in /etc/hosts",
		     "the route to %s leads to the loopback interface",
		     t->d->node[0]);
}

static long mtu_of(const char *text)
{
	long mtu;

	return text && sscanf(text, "%*s %ld", &mtu) == 1 ? mtu : -1;
}

static void judge_mtu(const struct told *t)
{
	long mtu = mtu_of(t->text), first = -1;
	unsigned i = 0;

	for (; i < t->d->nnodes && first < 0; i++)
		first = mtu_of(doctor_fact(t->d, i, "route"));
	if (mtu > 0 && mtu != first)
		WARN(t,
		     "set the same MTU on every node and switch port: RDMA "
		     "needs it, and large packets may be lost",
		     "MTU %ld, but %ld on %s", mtu, first, t->d->node[i - 1]);
}

/* reach ok, or why not */
static void judge_reach(const struct told *t)
{
	const char *ports = doctor_fact(t->d, t->node, "ports");
	unsigned min, max;

	snprintf(t->d->open_ports, sizeof(t->d->open_ports),
		 "open the ports of the administrator's range");
	if (ports && sscanf(ports, "%u %u", &min, &max) == 2)
		snprintf(t->d->open_ports, sizeof(t->d->open_ports),
			 "open the ports %u-%u", min, max);
	strcat(t->d->open_ports,
	       " between compute nodes; if only large packets are lost, "
	       "compare the MTU of interfaces and switches");
	if (strcmp(t->text, "ok") != 0)
		FAIL(t, t->d->open_ports, "can't communicate with %s: %s",
		     t->d->node[0], t->text);
}

/* pair-verdict LEVEL TEXT, by the rules of check=full */
static void judge_pair(const struct told *t)
{
	unsigned level;
	int at = 0;

	if (sscanf(t->text, "%u %n", &level, &at) == 1 && at &&
	    (level == DOCTOR_WARN || level == DOCTOR_FAIL))
		FOUND(t, level,
		      "check cables, ports and rate of that node (the "
		      "check rdma, ethtool, mlxlink), and what else uses "
		      "its network",
		      "%s", t->text + at);
}

/* ports MIN MAX BUSY */
static void judge_ports(const struct told *t)
{
	unsigned min, max, busy;

	if (sscanf(t->text, "%u %u %u", &min, &max, &busy) != 3)
		return;
	if (busy > max - min)
		FAIL(t, "choose another range: ports= in plugstack.conf",
		     "none of the ports %u-%u is free", min, max);
	else if (busy > (max - min + 1) / 10)
		WARN(t,
		     "find out which programs use them (ss -ltnp), or choose "
		     "another range: ports= in plugstack.conf",
		     "%u of the ports %u-%u are in use", busy, min, max);
}

/* ephemeral MIN MAX OUR-MIN OUR-MAX */
static void judge_ephemeral(const struct told *t)
{
	unsigned first, last, min, max;

	if (sscanf(t->text, "%u %u %u %u", &first, &last, &min, &max) == 4 &&
	    min <= last && max >= first)
		WARN(t,
		     "choose ports= outside of "
		     "net.ipv4.ip_local_port_range",
		     "the kernel may give any connection a port of %u-%u, and "
		     "%u-%u are among these",
		     first, last, min, max);
}

/* clock OFFSET_US BOUND_US, against the host of doctor */
static void judge_clock(const struct told *t)
{
	long long offset, bound, least;

	if (sscanf(t->text, "%lld %lld", &offset, &bound) != 2)
		return;
	least = llabs(offset) - bound;
	if (least > CLOCK_FAIL_US)
		FAIL(t,
		     "synchronise the clock (chrony, ntpd): MUNGE's "
		     "credentials expire",
		     "the clock is %.1f s off (+-%.3f s)", offset / 1e6,
		     bound / 1e6);
	else if (least > CLOCK_WARN_US)
		WARN(t,
		     "synchronise the clock (chrony, ntpd): logs and timelines "
		     "of the nodes can't be compared",
		     "the clock is %.1f s off (+-%.3f s)", offset / 1e6,
		     bound / 1e6);
}

const struct doctor_check doctor_net_checks[] = {
	{"names", "own", .judge = judge_own},
	{"names", "name", .judge = judge_name},
	{"names", "first", .judge = judge_first,
	 .well = "names resolve, none to a loopback address"},
	{"route", "route", .judge = judge_route,
	 .well = "each node has a route to the first"},
	{"pairs", "pair-verdict", .judge = judge_pair,
	 .well = "no node's network is far slower or loses more than the "
		 "others'"},
	{"mtu", "route", .judge = judge_mtu,
	 .well = "the same MTU on every node"},
	{"reach", "reach", .judge = judge_reach,
	 .well = "each node communicates with the first, with large packets "
		 "too"},
	{"ports", "ports", .judge = judge_ports},
	{"ports", "ephemeral", .judge = judge_ephemeral,
	 .well = "enough ports are free"},
	{"clock", "clock", .judge = judge_clock, .well = "clocks agree"},
	{.name = NULL},
};
