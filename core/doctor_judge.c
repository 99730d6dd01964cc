/* SPDX-License-Identifier: Apache-2.0 */
/* One check after another: what a node's fact means for a job. */
#include "core/doctor.h"
#include "core/ip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHM_MIB	      1024
#define SHM_FREE_MIB  64
#define NOFILE	      4096
#define CLOCK_WARN_US 1000000LL
#define CLOCK_FAIL_US 240000000LL /* MUNGE's credentials live 300 s */

#define FAIL(...) doctor_find(d, DOCTOR_FAIL, check, node, __VA_ARGS__)
#define WARN(...) doctor_find(d, DOCTOR_WARN, check, node, __VA_ARGS__)

typedef void (*judge_fn)(struct doctor *d, const char *check, unsigned node,
			 const char *text);

/* Why nobody else can use that address, or NULL. */
static const char *unusable(const char *addr)
{
	struct ip ip;

	return ip_parse(addr, strlen(addr), &ip) < 0 ? NULL : ip_unusable(&ip);
}

/* own NAME ADDR|- */
static void judge_own(struct doctor *d, const char *check, unsigned node,
		      const char *text)
{
	char name[256], addr[64];
	const char *why;

	if (sscanf(text, "%255s %63s", name, addr) != 2)
		return;
	why = unusable(addr);
	if (!strcmp(addr, "-"))
		WARN("give the host's name an address in DNS or /etc/hosts",
		     "the host's own name has no address there");
	else if (why && d->nnodes > 1)
		WARN("keep nic=auto, or give the name its real address in "
		     "/etc/hosts: a program that looks its own name up "
		     "listens where no other node reaches it",
		     "the host's own name is %s, %s", addr, why);
}

/* name NODENAME ADDR|-: of the first node */
static void judge_name(struct doctor *d, const char *check, unsigned node,
		       const char *text)
{
	char name[256], addr[64];
	const char *why;

	if (sscanf(text, "%255s %63s", name, addr) != 2)
		return;
	why = node ? unusable(addr) : NULL;
	if (!strcmp(addr, "-"))
		WARN("keep addr=auto; addr=name needs the NodeName in DNS or "
		     "/etc/hosts of every node",
		     "the name %s can't be resolved", name);
	else if (why)
		WARN("keep addr=auto, or correct DNS or /etc/hosts",
		     "the name %s is %s there, %s", name, addr, why);
}

/* first NODEADDR ADDR|-: what Slurm reaches the first node by */
static void judge_first(struct doctor *d, const char *check, unsigned node,
			const char *text)
{
	char name[256], addr[64];
	const char *why;

	if (sscanf(text, "%255s %63s", name, addr) != 2)
		return;
	why = unusable(addr);
	if (!strcmp(addr, "-"))
		FAIL("give NodeAddr of that node in slurm.conf an address that "
		     "every node can resolve",
		     "%s, NodeAddr of %s, can't be resolved", name, d->node[0]);
	else if (why && d->nnodes > 1 && node)
		FAIL("set NodeAddr of that node in slurm.conf, or correct "
		     "DNS and /etc/hosts",
		     "NodeAddr of %s is %s there, %s", d->node[0], addr, why);
}

/* route INTERFACE MTU, or -; the first node has its own name, which may be a
 * loopback address there */
static void judge_route(struct doctor *d, const char *check, unsigned node,
			const char *text)
{
	if (node && !strcmp(text, "-"))
		FAIL("set a route, or an address of that node that is in a "
		     "common network (NodeAddr, or the key addr=nic:IFACE)",
		     "no route to %s", d->node[0]);
	else if (node && !strncmp(text, "lo ", 3))
		FAIL("correct the address of that node in /etc/hosts",
		     "%s is reached by the loopback interface", d->node[0]);
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
	if (strcmp(text, "ok") != 0)
		FAIL("open the ports of the administrator's range between "
		     "compute nodes; if only large packets are lost, compare "
		     "the MTU of interfaces and switches",
		     "can't talk to %s: %s", d->node[0], text);
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
		     "no port of %u-%u is free", min, max);
	else if (busy > (max - min + 1) / 10)
		WARN("look for what holds them (ss -ltnp), or choose another "
		     "range: ports= in plugstack.conf",
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
		     "the kernel gives ports %u-%u to any connection, %u-%u "
		     "among them",
		     first, last, min, max);
}

/* pmix PLUGIN LIBRARY: yes or no each */
static void judge_pmix(struct doctor *d, const char *check, unsigned node,
		       const char *text)
{
	if (!strncmp(text, "no", 2))
		WARN("install Slurm's PMIx plugin; needed for mpi and horovod "
		     "over MPI, not for others",
		     "Slurm has no mpi_pmix.so there");
	else if (strstr(text, " no"))
		WARN("install libpmix; needed for mpi and horovod over MPI, "
		     "not for others",
		     "mpi_pmix.so is there, but libpmix.so can't be loaded");
}

/* munge ok, or what it says */
static void judge_munge(struct doctor *d, const char *check, unsigned node,
			const char *text)
{
	if (strcmp(text, "ok") != 0)
		FAIL("see munged's log there: the daemon, its key, the clock",
		     "MUNGE: %s", text);
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
		FAIL("set the clock (chrony, ntpd): credentials of MUNGE "
		     "expire",
		     "the clock is %.1f s off (+-%.3f s)", offset / 1e6,
		     bound / 1e6);
	else if (least > CLOCK_WARN_US)
		WARN("set the clock (chrony, ntpd); logs and time lines of "
		     "nodes can't be compared",
		     "the clock is %.1f s off (+-%.3f s)", offset / 1e6,
		     bound / 1e6);
}

/* npu ID ADDR|- */
static void judge_npu(struct doctor *d, const char *check, unsigned node,
		      const char *text)
{
	char addr[64];
	unsigned id;

	if (sscanf(text, "%u %63s", &id, addr) == 2 && !strcmp(addr, "-") &&
	    d->nnodes > 1)
		FAIL("give it an address (hccn_tool -i N -ip -s), or an "
		     "inventory= in plugstack.conf",
		     "NPU %u has no address", id);
}

static void judge_npu_note(struct doctor *d, const char *check, unsigned node,
			   const char *text)
{
	WARN("dist-train devices on that node shows more", "%s", text);
}

/* tls ID SWITCH */
static void judge_tls(struct doctor *d, const char *check, unsigned node,
		      const char *text)
{
	unsigned id, value, first_id, first;
	const char *one = NULL;
	unsigned n = 0;

	while (!one && n < d->nnodes)
		one = doctor_fact(d, n++, "tls");
	if (sscanf(text, "%u %u", &id, &value) == 2 && one &&
	    sscanf(one, "%u %u", &first_id, &first) == 2 && value != first)
		FAIL("set it alike on all: hccn_tool -i N -tls -s enable 0 "
		     "(HCCL ends with EI0016 otherwise)",
		     "TLS of NPU %u is %s, but %s on NPU %u of %s", id,
		     value ? "on" : "off", first ? "on" : "off", first_id,
		     d->node[n - 1]);
}

/* ping ID ADDR ok, or ID ADDR and why not */
static void judge_ping(struct doctor *d, const char *check, unsigned node,
		       const char *text)
{
	char addr[64];
	int id, at = 0;

	if (sscanf(text, "%d %63s %n", &id, addr, &at) == 2 && at &&
	    strcmp(text + at, "ok") != 0)
		FAIL("look at cable, switch, gateway and VLAN of both devices "
		     "(hccn_tool -i N -link -g)",
		     "NPU %d doesn't reach %s: %s", id, addr, text + at);
}

/* program SIZE PATH, or - PATH */
static void judge_program(struct doctor *d, const char *check, unsigned node,
			  const char *text)
{
	const char *first = doctor_fact(d, 0, "program");

	if (!strncmp(text, "- ", 2))
		FAIL("put it on a file system that all nodes have, or on "
		     "each node (sbcast)",
		     "no program %s there", text + 2);
	else if (first && strncmp(first, "- ", 2) != 0 &&
		 strcmp(first, text) != 0)
		WARN("put the same file on every node",
		     "another file than on %s: %s bytes and path, there %s",
		     d->node[0], text, first);
}

/* memlock KIB FABRIC: unlimited or a number; yes where there is RDMA or an NPU
 */
static void judge_memlock(struct doctor *d, const char *check, unsigned node,
			  const char *text)
{
	long kib;

	if (sscanf(text, "%ld", &kib) == 1 && strstr(text, " yes"))
		WARN("LimitMEMLOCK=infinity for slurmd, and "
		     "PropagateResourceLimitsExcept=MEMLOCK in slurm.conf",
		     "only %ld KiB of memory may be locked, and RDMA needs "
		     "more",
		     kib);
}

/* nofile N */
static void judge_nofile(struct doctor *d, const char *check, unsigned node,
			 const char *text)
{
	long n;

	if (sscanf(text, "%ld", &n) == 1 && n < NOFILE)
		WARN("raise it (ulimit -n before srun, LimitNOFILE= of slurmd)",
		     "only %ld files may be open; data loaders and large "
		     "steps take thousands",
		     n);
}

/* shm MIB FREE_MIB, or - */
static void judge_shm(struct doctor *d, const char *check, unsigned node,
		      const char *text)
{
	long size, left;

	if (!strcmp(text, "-"))
		FAIL("mount a tmpfs at /dev/shm", "there is no /dev/shm");
	else if (sscanf(text, "%ld %ld", &size, &left) == 2 &&
		 left < SHM_FREE_MIB)
		FAIL("remove what is left in it, or mount a larger one",
		     "only %ld of %ld MiB of /dev/shm are free", left, size);
	else if (size < SHM_MIB)
		WARN("mount a larger one (half of the memory is usual)",
		     "/dev/shm has only %ld MiB; workers of data loaders and "
		     "NCCL share memory there",
		     size);
}

/* leftover WHAT */
static void judge_leftover(struct doctor *d, const char *check, unsigned node,
			   const char *text)
{
	WARN("remove it; its step has ended", "left behind: %s", text);
}

static const struct check {
	const char *name, *key;
	judge_fn judge;
	const char *well; /* NULL: the next one of that name says it */
} checks[] = {
	{"names", "own", judge_own, NULL},
	{"names", "name", judge_name, NULL},
	{"names", "first", judge_first,
	 "names and addresses resolve, none to a loopback address"},
	{"route", "route", judge_route, "each node routes to the first"},
	{"mtu", "route", judge_mtu, "the same MTU on every node"},
	{"reach", "reach", judge_reach,
	 "each node talks to the first, in large packets too"},
	{"ports", "ports", judge_ports, NULL},
	{"ports", "ephemeral", judge_ephemeral, "enough ports are free"},
	{"pmix", "pmix", judge_pmix, "Slurm's PMIx plugin and its library"},
	{"munge", "munge", judge_munge,
	 "a credential from here is good on every node"},
	{"clock", "clock", judge_clock, "clocks agree"},
	{"npu", "npu-note", judge_npu_note, NULL},
	{"npu", "npu", judge_npu, "each NPU has an address"},
	{"npu-tls", "tls", judge_tls, "the TLS switch is the same on all NPUs"},
	{"npu-ping", "ping", judge_ping,
	 "NPUs of one index reach each other from node to node"},
	{"program", "program", judge_program, "the program is on every node"},
	{"limits", "memlock", judge_memlock, NULL},
	{"limits", "nofile", judge_nofile, "locked memory and open files"},
	{"shm", "shm", judge_shm, "/dev/shm is large enough"},
	{"leftovers", "leftover", judge_leftover, NULL},
	{"leftovers", "looked", NULL, "nothing of ended steps"},
};

#define NCHECKS (sizeof(checks) / sizeof(checks[0]))

/* The table's own string, which findings compare by address. */
static const char *check_name(const struct check *c)
{
	while (c > checks && !strcmp(c[-1].name, c->name))
		c--;
	return c->name;
}

static void run_check(struct doctor *d, const struct check *c)
{
	const char *name = check_name(c);

	for (size_t i = 0; c->judge && i < d->nfacts; i++)
		if (!strcmp(d->fact[i].key, c->key))
			c->judge(d, name, d->fact[i].node, d->fact[i].text);
}

/* The largest difference of a clock, as far as it is known. */
static long long clock_spread_us(const struct doctor *d)
{
	long long offset, bound, worst = 0;

	for (unsigned i = 0; i < d->nnodes; i++) {
		const char *text = doctor_fact(d, i, "clock");

		if (text && sscanf(text, "%lld %lld", &offset, &bound) == 2 &&
		    llabs(offset) + bound > worst)
			worst = llabs(offset) + bound;
	}
	return worst;
}

static void say_well(struct doctor *d, const struct check *c)
{
	const char *name = check_name(c);
	char spread[64] = "";

	if (!c->well)
		return;
	for (size_t i = 0; i < d->nfindings; i++)
		if (d->finding[i].check == name)
			return;
	if (!strcmp(name, "clock"))
		snprintf(spread, sizeof(spread), ": within %.1f ms",
			 (double)clock_spread_us(d) / 1000);
	for (unsigned i = 0; i < d->nnodes; i++)
		if (doctor_fact(d, i, c->key))
			doctor_find(d, DOCTOR_OK, name, i, "", "%s%s", c->well,
				    spread);
}

static void judge_answers(struct doctor *d)
{
	for (unsigned i = 0; i < d->nnodes; i++)
		if (!doctor_fact(d, i, "ready"))
			doctor_find(d, DOCTOR_FAIL, "answer", i,
				    "look at the node (sinfo -N, slurmd's "
				    "log); --timeout=SECONDS waits longer",
				    "no answer");
		else if (!doctor_fact(d, i, "done"))
			doctor_find(d, DOCTOR_WARN, "answer", i,
				    "--timeout=SECONDS waits longer",
				    "not all checks were over in time");
	if (!d->nfindings)
		for (unsigned i = 0; i < d->nnodes; i++)
			doctor_find(d, DOCTOR_OK, "answer", i, "", "%s",
				    "every node answers");
}

static int by_node(const void *a, const void *b)
{
	const struct doctor_fact *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

int doctor_judge(struct doctor *d, struct err *err)
{
	if (d->nfacts)
		qsort(d->fact, d->nfacts, sizeof(*d->fact), by_node);
	judge_answers(d);
	for (size_t i = 0; i < NCHECKS; i++) {
		run_check(d, &checks[i]);
		say_well(d, &checks[i]);
	}
	return d->no_memory ? err_memory(err) : 0;
}
