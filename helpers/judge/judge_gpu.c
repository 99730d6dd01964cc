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
static void judge_driver(struct doctor *d, const char *check, unsigned node,
			 const char *text)
{
	unsigned other;
	const char *usual = doctor_usual(d, "gpu-driver", &other);
	const char *version = strchr(text, ' ');

	if (version && !strcmp(version, " -"))
		doctor_find(d, unless_unused(d, node), check, node,
			    "load it (modprobe), or look into dmesg why it "
			    "isn't there",
			    "%.*s GPUs on the PCI bus, but their driver isn't "
			    "loaded",
			    (int)(version - text), text);
	else if (usual && strcmp(usual, text) != 0)
		WARN("install the same driver on all nodes",
		     "the driver is %s, but %s on %s", text, usual,
		     d->node[other]);
}

/* gpu-count GIVEN USABLE ON_BUS; -1: Slurm doesn't say */
static void judge_count(struct doctor *d, const char *check, unsigned node,
			const char *text)
{
	int given, usable, bus, usual_bus;
	const char *usual;
	unsigned other;

	if (sscanf(text, "%d %d %d", &given, &usable, &bus) != 3)
		return;
	if (given > usable)
		FAIL("drain the node; nvidia-smi or rocm-smi, and dmesg there, "
		     "say which one is missing",
		     "Slurm gave %d GPU%s, but %d can be used", given,
		     given == 1 ? "" : "s", usable);
	usual = doctor_usual(d, "gpu-count", &other);
	if (usual && sscanf(usual, "%*d %*d %d", &usual_bus) == 1 &&
	    bus < usual_bus)
		WARN("compare lspci of both nodes: a GPU that has fallen off "
		     "the bus needs a cold start",
		     "%d GPUs on the PCI bus, but %d on %s", bus, usual_bus,
		     d->node[other]);
}

/* gpu-none GIVEN: the node has none that a driver knows. Other makers' devices
 * aren't known at all, so it counts only where other nodes have GPUs. */
static void judge_none(struct doctor *d, const char *check, unsigned node,
		       const char *text)
{
	unsigned other;
	const char *usual = doctor_usual(d, "gpu-driver", &other);

	if (usual)
		FAIL("drain the node; lspci and dmesg there say where they are",
		     "Slurm gave %s GPUs, but there is none and no driver; %s "
		     "has %s",
		     text, d->node[other], usual);
}

/* dev-gpu GIVEN OPENED THERE [NAME: WHY] */
static void judge_files(struct doctor *d, const char *check, unsigned node,
			const char *text)
{
	int given, opened, there, at = 0;

	if (sscanf(text, "%d %d %d %n", &given, &opened, &there, &at) != 3 ||
	    given <= opened)
		return;
	FAIL("drain the node; look into dmesg, and at the rights of the files",
	     "Slurm gave %d GPU%s, but only %d of %d device files can be "
	     "opened%s%s",
	     given, given == 1 ? "" : "s", opened, there,
	     at && text[at] ? ": " : "", at ? text + at : "");
}

/* gpu-model NAME [and NAME]... */
static void judge_model(struct doctor *d, const char *check, unsigned node,
			const char *text)
{
	unsigned other;
	const char *usual = doctor_usual(d, "gpu-model", &other);

	if (usual && strcmp(usual, text) != 0)
		WARN("ask for one kind (--constraint, --gres=gpu:TYPE:N): the "
		     "slowest GPU sets the pace",
		     "the GPUs are %s, but %s on %s", text, usual,
		     d->node[other]);
}

/* gpu-fault FAULT BUS: TEXT */
static void judge_fault(struct doctor *d, const char *check, unsigned node,
			const char *text)
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

	if (sscanf(text, "%31s %n", name, &at) != 1 || !at)
		return;
	fault = gpu_fault_find(name);
	if (fault < GPU_FAULTS)
		doctor_find(d,
			    gpu_fault_condemns(fault) ? DOCTOR_FAIL
						      : DOCTOR_WARN,
			    check, node, remedy[fault], "GPU %s", text + at);
}

/* gpu-fabric no: there are NVSwitches and no manager */
static void judge_fabric(struct doctor *d, const char *check, unsigned node,
			 const char *text)
{
	(void)text;
	WARN("systemctl start nvidia-fabricmanager on that node, in the "
	     "driver's version: CUDA fails without it (error 802)",
	     "the node has NVSwitches, but no process nv-fabricmanager is "
	     "seen");
}

static void judge_denied(struct doctor *d, const char *check, unsigned node,
			 const char *text)
{
	doctor_find(d, unless_unused(d, node), check, node,
		    "add the user to the groups of /dev/kfd and "
		    "/dev/dri/renderD* (render, video)",
		    "%s can't be opened by this user", text);
}

static void judge_persistence(struct doctor *d, const char *check,
			      unsigned node, const char *text)
{
	(void)text;
	WARN("run nvidia-persistenced: without it each start takes seconds "
	     "longer, and error counts are forgotten",
	     "persistence mode is off");
}

static void judge_note(struct doctor *d, const char *check, unsigned node,
		       const char *text)
{
	WARN("run nvidia-smi on that node, and look into dmesg", "%s", text);
}

const struct doctor_check doctor_gpu_checks[] = {
	{"gpu", "gpu-note", judge_note, NULL},
	{"gpu", "gpu-denied", judge_denied, NULL},
	{"gpu", "gpu-fault", judge_fault, NULL},
	{"gpu", "gpu-fabric", judge_fabric, NULL},
	{"gpu", "gpu-persistence", judge_persistence, NULL},
	{"gpu", "gpu-model", judge_model, NULL},
	{"gpu", "gpu-none", judge_none, NULL},
	{"gpu", "dev-gpu", judge_files, NULL},
	{"gpu", "gpu-count", judge_count,
	 "as many GPUs as Slurm gave, none with a fault"},
	{"gpu-driver", "gpu-driver", judge_driver,
	 "the same driver on every node"},
	{NULL, NULL, NULL, NULL},
};
