/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs and their drivers. */
#include "helpers/gpu/gpu.h"
#include "helpers/judge/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What keeps all GPUs of a node from being used: a job without any goes on. */
static enum doctor_level unless_unused(const struct doctor *d, unsigned node)
{
	const char *given = doctor_fact(d, node, "gpu-given");

	return given && atoi(given) > 0 ? DOCTOR_FAIL : DOCTOR_WARN;
}

/* gpu-driver MAKER VERSION|- */
static void judge_driver(const struct told *t)
{
	unsigned other;
	const char *usual = doctor_usual(t->d, "gpu-driver", &other);
	const char *version = strchr(t->text, ' ');

	if (version && !strcmp(version, " -"))
		FOUND(t, unless_unused(t->d, t->node),
		      "load it (modprobe), or look into dmesg why it "
		      "isn't there",
		      "%.*s GPUs on the PCI bus, but their driver isn't "
		      "loaded",
		      (int)(version - t->text), t->text);
	else if (usual && strcmp(usual, t->text) != 0)
		WARN(t, "install the same driver on all nodes",
		     "the driver is %s, but %s on %s", t->text, usual,
		     t->d->node[other]);
}

/* gpu-count GIVEN USABLE ON_BUS; -1: Slurm doesn't say */
static void judge_count(const struct told *t)
{
	int given, usable, bus, usual_bus;
	const char *usual;
	unsigned other;

	if (sscanf(t->text, "%d %d %d", &given, &usable, &bus) != 3)
		return;
	if (given > usable)
		FAIL(t,
		     "drain the node; nvidia-smi or rocm-smi, and dmesg there, "
		     "say which one is missing",
		     "Slurm gave %d GPU%s, but %d can be used", given,
		     given == 1 ? "" : "s", usable);
	usual = doctor_usual(t->d, "gpu-count", &other);
	if (usual && sscanf(usual, "%*d %*d %d", &usual_bus) == 1 &&
	    bus < usual_bus)
		WARN(t,
		     "compare lspci of both nodes: a GPU that has fallen off "
		     "the bus needs a cold start",
		     "%d GPUs on the PCI bus, but %d on %s", bus, usual_bus,
		     t->d->node[other]);
}

/* gpu-none GIVEN: the node has none that a driver knows. Other makers' devices
 * aren't known at all, so it counts only where other nodes have GPUs. */
static void judge_none(const struct told *t)
{
	unsigned other;
	const char *usual = doctor_usual(t->d, "gpu-driver", &other);

	if (usual)
		FAIL(t,
		     "drain the node; lspci and dmesg there say where they are",
		     "Slurm gave %s GPUs, but there is none and no driver; %s "
		     "has %s",
		     t->text, t->d->node[other], usual);
}

/* dev-gpu GIVEN OPENED THERE [NAME: WHY] */
static void judge_files(const struct told *t)
{
	int given, opened, there, at = 0;

	if (sscanf(t->text, "%d %d %d %n", &given, &opened, &there, &at) != 3 ||
	    given <= opened)
		return;
	FAIL(t,
	     "drain the node; look into dmesg, and at the rights of the files",
	     "Slurm gave %d GPU%s, but only %d of %d device files can be "
	     "opened%s%s",
	     given, given == 1 ? "" : "s", opened, there,
	     at && t->text[at] ? ": " : "", at ? t->text + at : "");
}

/* gpu-model NAME [and NAME]... */
static void judge_model(const struct told *t)
{
	unsigned other;
	const char *usual = doctor_usual(t->d, "gpu-model", &other);

	if (usual && strcmp(usual, t->text) != 0)
		WARN(t,
		     "ask for one kind (--constraint, --gres=gpu:TYPE:N): the "
		     "slowest GPU sets the pace",
		     "the GPUs are %s, but %s on %s", t->text, usual,
		     t->d->node[other]);
}

/* gpu-fault FAULT BUS: TEXT */
static void judge_fault(const struct told *t)
{
	static const char *const remedy[GPU_FAULTS] = {
		[GPU_FAULT_LOST] = "drain the node; reset the GPU "
				   "(nvidia-smi --gpu-reset) or start the node "
				   "again; dmesg has the cause (Xid)",
		[GPU_FAULT_RECOVERY] = "drain the node and do that",
		[GPU_FAULT_UNREPAIRED] = "drain the node, replace the GPU",
		[GPU_FAULT_FABRIC] = "check nv-fabricmanager on that node and "
				     "its log: CUDA waits or fails without it",
		[GPU_FAULT_UNCORRECTED] = "reset the GPU before the next job; "
					  "replace it if they come back",
		[GPU_FAULT_PENDING] = "reset the GPU, or start the node again",
	};
	enum gpu_fault fault;
	char name[32];
	int at = 0;

	if (sscanf(t->text, "%31s %n", name, &at) != 1 || !at)
		return;
	fault = gpu_fault_find(name);
	if (fault < GPU_FAULTS)
		FOUND(t, gpu_fault_condemns(fault) ? DOCTOR_FAIL : DOCTOR_WARN,
		      remedy[fault], "GPU %s", t->text + at);
}

static void judge_denied(const struct told *t)
{
	FOUND(t, unless_unused(t->d, t->node),
	      "add the user to the groups of /dev/kfd and "
	      "/dev/dri/renderD* (render, video)",
	      "%s can't be opened by this user", t->text);
}

const struct doctor_check doctor_gpu_checks[] = {
	{"gpu", "gpu-note", .level = DOCTOR_WARN, .finding = "$1",
	 .remedy = "run nvidia-smi on that node, and look into dmesg"},
	{"gpu", "gpu-denied", .judge = judge_denied},
	{"gpu", "gpu-fault", .judge = judge_fault},
	/* gpu-fabric no: there are NVSwitches and no manager */
	{"gpu", "gpu-fabric", .level = DOCTOR_WARN,
	 .finding = "the node has NVSwitches, but no process nv-fabricmanager "
		    "is seen",
	 .remedy = "systemctl start nvidia-fabricmanager on that node, in the "
		   "driver's version: CUDA fails without it (error 802)"},
	{"gpu", "gpu-persistence", .level = DOCTOR_WARN,
	 .finding = "persistence mode is off",
	 .remedy = "run nvidia-persistenced: without it each start takes "
		   "seconds longer, and error counts are forgotten"},
	{"gpu", "gpu-model", .judge = judge_model},
	{"gpu", "gpu-none", .judge = judge_none},
	{"gpu", "dev-gpu", .judge = judge_files},
	{"gpu", "gpu-count", .judge = judge_count,
	 .well = "as many GPUs as Slurm gave, none with a fault"},
	{"gpu-driver", "gpu-driver", .judge = judge_driver,
	 .well = "the same driver on every node"},
	{.name = NULL},
};
