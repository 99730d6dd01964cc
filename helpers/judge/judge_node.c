/* SPDX-License-Identifier: Apache-2.0 */
/* What each node has: libraries, devices, the program, limits. */
#include "helpers/judge/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHM_MIB	     1024
#define SHM_FREE_MIB 16
#define NOFILE	     4096

/* pmix PLUGIN LIBRARY: yes or no each */
static void judge_pmix(const struct told *t)
{
	if (!strncmp(t->text, "no", 2))
		WARN(t,
		     "install Slurm's PMIx plugin; needed for mpi and horovod "
		     "over MPI, not for others",
		     "Slurm has no mpi_pmix.so there");
	else if (strstr(t->text, " no"))
		WARN(t,
		     "install libpmix; needed for mpi and horovod over MPI, "
		     "not for others",
		     "mpi_pmix.so exists, but libpmix.so can't be loaded");
}

/* npu ID ADDR|- */
static void judge_npu(const struct told *t)
{
	char addr[64];
	unsigned id;

	if (sscanf(t->text, "%u %63s", &id, addr) == 2 && !strcmp(addr, "-") &&
	    t->d->nnodes > 1)
		FAIL(t,
		     "set an address (hccn_tool -i N -ip -s), or write an "
		     "inventory (inventory= in plugstack.conf)",
		     "NPU %u has no address", id);
}

/* tls ID SWITCH */
static void judge_tls(const struct told *t)
{
	unsigned id, value, first_id, first;
	const char *one = NULL;
	unsigned n = 0;

	while (!one && n < t->d->nnodes)
		one = doctor_fact(t->d, n++, "tls");
	if (sscanf(t->text, "%u %u", &id, &value) == 2 && one &&
	    sscanf(one, "%u %u", &first_id, &first) == 2 && value != first)
		FAIL(t,
		     "set the same on all: hccn_tool -i N -tls -s enable 0 "
		     "(otherwise HCCL fails with EI0016)",
		     "TLS of NPU %u is %s, but %s on NPU %u of %s", id,
		     value ? "on" : "off", first ? "on" : "off", first_id,
		     t->d->node[n - 1]);
}

/* ping ID ADDR ok, or ID ADDR and why not */
static void judge_ping(const struct told *t)
{
	char addr[64];
	int id, at = 0;

	if (sscanf(t->text, "%d %63s %n", &id, addr, &at) == 2 && at &&
	    strcmp(t->text + at, "ok") != 0)
		FAIL(t,
		     "check cable, switch, gateway and VLAN of both devices "
		     "(hccn_tool -i N -link -g)",
		     "NPU %d can't reach %s: %s", id, addr, t->text + at);
}

/* program SIZE PATH, or - PATH */
static void judge_program(const struct told *t)
{
	const char *first = doctor_fact(t->d, 0, "program");

	if (!strncmp(t->text, "- ", 2))
		FAIL(t,
		     "put it on a shared file system, or on each node (sbcast)",
		     "the program %s doesn't exist there", t->text + 2);
	else if (first && strncmp(first, "- ", 2) != 0 &&
		 strcmp(first, t->text) != 0)
		WARN(t, "put the same file on every node",
		     "the file differs from the one on %s: %s bytes and path "
		     "here, %s there",
		     t->d->node[0], t->text, first);
}

/* memlock KIB FABRIC: unlimited or a number; yes where there is RDMA or an NPU
 */
static void judge_memlock(const struct told *t)
{
	long kib;

	if (sscanf(t->text, "%ld", &kib) == 1 && strstr(t->text, " yes"))
		WARN(t,
		     "LimitMEMLOCK=infinity for slurmd, and "
		     "PropagateResourceLimitsExcept=MEMLOCK in slurm.conf",
		     "only %ld KiB of memory may be locked, and RDMA needs "
		     "more",
		     kib);
}

/* nofile N */
static void judge_nofile(const struct told *t)
{
	long n;

	if (sscanf(t->text, "%ld", &n) == 1 && n < NOFILE)
		WARN(t,
		     "raise it (ulimit -n before srun, LimitNOFILE= of slurmd)",
		     "only %ld files may be open; data loaders and large "
		     "steps take thousands",
		     n);
}

/* shm MIB FREE_MIB, or - */
static void judge_shm(const struct told *t)
{
	long size, left;

	if (!strcmp(t->text, "-"))
		FAIL(t, "mount a tmpfs at /dev/shm", "/dev/shm doesn't exist");
	else if (sscanf(t->text, "%ld %ld", &size, &left) != 2)
		return;
	else if (left < SHM_FREE_MIB)
		FAIL(t, "remove old files in it, or mount a larger one",
		     "only %ld of %ld MiB of /dev/shm are free", left, size);
	else if (size < SHM_MIB)
		WARN(t, "mount a larger one (half of the memory is usual)",
		     "/dev/shm has only %ld MiB; data loader workers and NCCL "
		     "use it for shared memory",
		     size);
}

/* stacks SCOPE TOOL...: kernel.yama.ptrace_scope, and what is in PATH; - where
 * there is none */
static void judge_stacks(const struct told *t)
{
	static const char ask[] =
		"set kernel.yama.ptrace_scope to 1 or 0 there "
		"(sysctl)";
	static const char *const who[] = {
		"all processes of a rank",
		"a rank's own process, none below it (ptrace_scope is 1)"};
	char tools[64];
	unsigned scope;

	if (sscanf(t->text, "%u %63[^\n]", &scope, tools) != 2)
		return;
	if (scope > 1)
		WARN(t, ask,
		     "dist-train stack can't look at programs: ptrace_scope is "
		     "%u",
		     scope);
	else
		FOUND(t, DOCTOR_OK, "",
		      "dist-train stack can look at %s; in PATH: %s",
		      who[scope], strcmp(tools, "-") ? tools : "no tool");
}

/* build HANDOVER VERSION DIGEST */
static void judge_build(const struct told *t)
{
	unsigned other = 0;
	const char *usual = doctor_usual(t->d, "build", &other);

	if (!usual || !strcmp(t->text, usual))
		return;
	if (atoi(t->text) != atoi(usual))
		FAIL(t, "install the same version on all nodes",
		     "its version hands steps over in another way: %s, but %s "
		     "on %s",
		     t->text, usual, t->d->node[other]);
	else
		WARN(t, "install the same build on all nodes",
		     "another build: %s, but %s on %s",
		     strchr(t->text, ' ') + 1, strchr(usual, ' ') + 1,
		     t->d->node[other]);
}

static void judge_plugin(const struct told *t)
{
	unsigned other = 0;
	const char *usual = doctor_usual(t->d, "plugin", &other);

	if (usual && !strncmp(t->text, "ok", 2) && !strncmp(usual, "ok", 2) &&
	    strcmp(t->text, usual) != 0)
		WARN(t, "install the same build on all nodes",
		     "another build of the plugin than on %s",
		     t->d->node[other]);
}

static const char install[] =
	"install slurm-dist-train on the node, and include its line in "
	"plugstack.conf there";

const struct doctor_check doctor_node_checks[] = {
	/* KEY ok, or what is missing */
	{"install", "helpers", .level = DOCTOR_FAIL, .unless = "ok",
	 .finding = "$1", .remedy = install},
	{"install", "plugin", .level = DOCTOR_FAIL, .unless = "ok",
	 .finding = "$1", .remedy = install},
	{"install", "plugin", .judge = judge_plugin},
	{"install", "build", .judge = judge_build,
	 .well = "the same build is on every node, with its helpers"},
	{"pmix", "pmix", .judge = judge_pmix,
	 .well = "Slurm's PMIx plugin and its library"},
	/* munge ok, or what it says */
	{"munge", "munge", .level = DOCTOR_FAIL, .unless = "ok",
	 .finding = "$1",
	 .remedy = "check munged on that node: the daemon, its log, its key, "
		   "the clock",
	 .well = "every node accepts a credential from here"},
	/* token ok, or why it isn't good there */
	{"auth", "token", .level = DOCTOR_FAIL, .unless = "ok",
	 .finding = "AuthType=auth/slurm: $1",
	 .remedy = "see slurmd's log on that node, or on the host of logins "
		   "sackd's: the key, the clock, AuthInfo",
	 .well = "every node accepts a token of Slurm's authentication from "
		 "here"},
	{"npu", "npu-note", .level = DOCTOR_WARN, .finding = "$1",
	 .remedy = "dist-train devices on that node shows more"},
	{"npu", "npu", .judge = judge_npu, .well = "each NPU has an address"},
	{"npu-tls", "tls", .judge = judge_tls,
	 .well = "the TLS setting is the same on all NPUs"},
	{"npu-ping", "ping", .judge = judge_ping,
	 .well = "NPUs with the same index reach each other across nodes"},
	{"program", "program", .judge = judge_program,
	 .well = "the program is on every node"},
	{"limits", "memlock", .judge = judge_memlock},
	{"limits", "nofile", .judge = judge_nofile,
	 .well = "the limits on locked memory and open files are high enough"},
	{"shm", "shm", .judge = judge_shm, .well = "/dev/shm is large enough"},
	{"stacks", "stacks", .judge = judge_stacks},
	/* namespaces ok, or what forbids them */
	{"stage", "namespaces", .level = DOCTOR_OK, .unless = "ok",
	 .finding = "the key stage has PATH and Python's search path name a "
		    "copy: $1",
	 .remedy = "allow user namespaces for stage=userns",
	 .well = "the key stage shows a copy under its own path"},
	/* leftover WHAT */
	{"leftovers", "leftover", .level = DOCTOR_WARN,
	 .finding = "left behind: $1",
	 .remedy = "remove it: its step has ended"},
	{"leftovers", "looked", .well = "nothing is left of ended steps"},
	{.name = NULL},
};
