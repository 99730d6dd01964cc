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
		     "mpi_pmix.so exists, but libpmix.so can't be loaded");
}

/* munge ok, or what it says */
static void judge_munge(struct doctor *d, const char *check, unsigned node,
			const char *text)
{
	if (strcmp(text, "ok") != 0)
		FAIL("check munged on that node: the daemon, its log, its key, "
		     "the clock",
		     "MUNGE: %s", text);
}

/* token ok, or why it isn't good there */
static void judge_token(struct doctor *d, const char *check, unsigned node,
			const char *text)
{
	if (strcmp(text, "ok") != 0)
		FAIL("see slurmd's log on that node, or on the host of logins "
		     "sackd's: the key, the clock, AuthInfo",
		     "AuthType=auth/slurm: %s", text);
}

/* npu ID ADDR|- */
static void judge_npu(struct doctor *d, const char *check, unsigned node,
		      const char *text)
{
	char addr[64];
	unsigned id;

	if (sscanf(text, "%u %63s", &id, addr) == 2 && !strcmp(addr, "-") &&
	    d->nnodes > 1)
		FAIL("set an address (hccn_tool -i N -ip -s), or write an "
		     "inventory (inventory= in plugstack.conf)",
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
		FAIL("set the same on all: hccn_tool -i N -tls -s enable 0 "
		     "(otherwise HCCL fails with EI0016)",
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
		FAIL("check cable, switch, gateway and VLAN of both devices "
		     "(hccn_tool -i N -link -g)",
		     "NPU %d can't reach %s: %s", id, addr, text + at);
}

/* program SIZE PATH, or - PATH */
static void judge_program(struct doctor *d, const char *check, unsigned node,
			  const char *text)
{
	const char *first = doctor_fact(d, 0, "program");

	if (!strncmp(text, "- ", 2))
		FAIL("put it on a shared file system, or on each node (sbcast)",
		     "the program %s doesn't exist there", text + 2);
	else if (first && strncmp(first, "- ", 2) != 0 &&
		 strcmp(first, text) != 0)
		WARN("put the same file on every node",
		     "the file differs from the one on %s: %s bytes and path "
		     "here, %s there",
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
		FAIL("mount a tmpfs at /dev/shm", "/dev/shm doesn't exist");
	else if (sscanf(text, "%ld %ld", &size, &left) != 2)
		return;
	else if (left < SHM_FREE_MIB)
		FAIL("remove old files in it, or mount a larger one",
		     "only %ld of %ld MiB of /dev/shm are free", left, size);
	else if (size < SHM_MIB)
		WARN("mount a larger one (half of the memory is usual)",
		     "/dev/shm has only %ld MiB; data loader workers and NCCL "
		     "use it for shared memory",
		     size);
}

/* leftover WHAT */
static void judge_leftover(struct doctor *d, const char *check, unsigned node,
			   const char *text)
{
	WARN("remove it: its step has ended", "left behind: %s", text);
}

/* stacks SCOPE TOOL...: kernel.yama.ptrace_scope, and what is in PATH; - where
 * there is none */
static void judge_stacks(struct doctor *d, const char *check, unsigned node,
			 const char *text)
{
	static const char ask[] =
		"set kernel.yama.ptrace_scope to 1 or 0 there "
		"(sysctl)";
	static const char *const who[] = {
		"all processes of a rank",
		"a rank's own process, none below it (ptrace_scope is 1)"};
	char tools[64];
	unsigned scope;

	if (sscanf(text, "%u %63[^\n]", &scope, tools) != 2)
		return;
	if (scope > 1)
		WARN(ask,
		     "dist-train stack can't look at programs: ptrace_scope is "
		     "%u",
		     scope);
	else
		doctor_find(d, DOCTOR_OK, check, node, "",
			    "dist-train stack can look at %s; in PATH: %s",
			    who[scope], strcmp(tools, "-") ? tools : "no tool");
}

/* helpers ok, plugin ok DIGEST, or what is missing */
static void judge_installed(struct doctor *d, const char *check, unsigned node,
			    const char *text)
{
	if (strncmp(text, "ok", 2) != 0)
		FAIL("install slurm-dist-train on the node, and include its "
		     "line in plugstack.conf there",
		     "%s", text);
}

/* build HANDOVER VERSION DIGEST */
static void judge_build(struct doctor *d, const char *check, unsigned node,
			const char *text)
{
	unsigned other = 0;
	const char *usual = doctor_usual(d, "build", &other);

	if (!usual || !strcmp(text, usual))
		return;
	if (atoi(text) != atoi(usual))
		FAIL("install the same version on all nodes",
		     "its version hands steps over in another way: %s, but %s "
		     "on %s",
		     text, usual, d->node[other]);
	else
		WARN("install the same build on all nodes",
		     "another build: %s, but %s on %s", strchr(text, ' ') + 1,
		     strchr(usual, ' ') + 1, d->node[other]);
}

static void judge_plugin(struct doctor *d, const char *check, unsigned node,
			 const char *text)
{
	unsigned other = 0;
	const char *usual = doctor_usual(d, "plugin", &other);

	judge_installed(d, check, node, text);
	if (usual && !strncmp(text, "ok", 2) && !strncmp(usual, "ok", 2) &&
	    strcmp(text, usual) != 0)
		WARN("install the same build on all nodes",
		     "another build of the plugin than on %s", d->node[other]);
}

const struct doctor_check doctor_node_checks[] = {
	{"install", "helpers", judge_installed, NULL},
	{"install", "plugin", judge_plugin, NULL},
	{"install", "build", judge_build,
	 "the same build is on every node, with its helpers"},
	{"pmix", "pmix", judge_pmix, "Slurm's PMIx plugin and its library"},
	{"munge", "munge", judge_munge,
	 "every node accepts a credential from here"},
	{"auth", "token", judge_token,
	 "every node accepts a token of Slurm's authentication from here"},
	{"npu", "npu-note", judge_npu_note, NULL},
	{"npu", "npu", judge_npu, "each NPU has an address"},
	{"npu-tls", "tls", judge_tls,
	 "the TLS setting is the same on all NPUs"},
	{"npu-ping", "ping", judge_ping,
	 "NPUs with the same index reach each other across nodes"},
	{"program", "program", judge_program, "the program is on every node"},
	{"limits", "memlock", judge_memlock, NULL},
	{"limits", "nofile", judge_nofile,
	 "the limits on locked memory and open files are high enough"},
	{"shm", "shm", judge_shm, "/dev/shm is large enough"},
	{"stacks", "stacks", judge_stacks, NULL},
	{"leftovers", "leftover", judge_leftover, NULL},
	{"leftovers", "looked", NULL, "nothing is left of ended steps"},
	{NULL, NULL, NULL, NULL},
};
