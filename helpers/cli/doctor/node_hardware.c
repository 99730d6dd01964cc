/* SPDX-License-Identifier: Apache-2.0 */
/* On a node: its GPUs, its InfiniBand and RoCE ports, its folders and device
 * files, and NCCL's own files. Children look at all but these: a driver that
 * hangs stops only them. */
#include "core/facts/handover.h"
#include "helpers/check/node_facts.h"
#include "helpers/cli/doctor/doctor.h"
#include "helpers/npu/devinfo.h"
#include "sys/subprocess.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FACTS_MAX (32 << 10)

/* How many GPUs Slurm gave this node's part of the step; -1: it doesn't say. */
static int gpus_given(void)
{
	const char *list = getenv("SLURM_STEP_GPUS");
	const char *number = getenv("SLURM_GPUS_ON_NODE");
	int n = 1;

	if (number && *number)
		return atoi(number);
	if (!list || !*list)
		return -1;
	for (; *list; list++)
		n += *list == ',';
	return n;
}

/* Of --timeout, in which the host waits for all of the node's facts. nvidia-smi
 * needs seconds for each device without persistence mode. */
static int gpu_limit_ms(const struct doctor_options *o)
{
	return (int)o->timeout_s * 1000 / 3;
}

static int look_gpus(const int fd[2], const void *arg)
{
	facts_gpus(fd[1], gpu_limit_ms(arg) * 3 / 4, gpus_given());
	return 0;
}

static int look_rdma(const int fd[2], const void *arg)
{
	(void)arg;
	facts_rdma(fd[1]);
	return 0;
}

static int look_devices(const int fd[2], const void *arg)
{
	(void)arg;
	facts_devices(fd[1], gpus_given());
	return 0;
}

/* Their addresses are asked for by doctor_look_npus(). */
static int look_npus(const int fd[2], const void *arg)
{
	struct npu_nodes nodes;
	struct err err;

	(void)arg;
	if (devinfo_nodes(devinfo_root(), &nodes, &err) == 0)
		facts_npus(fd[1], &nodes.allowed);
	return 0;
}

static int look_files(const int fd[2], const void *arg)
{
	(void)arg;
	facts_shm(fd[1]);
	facts_run_dir(fd[1], RUN_DIR_DEFAULT);
	return 0;
}

/* Each line that a child writes is a fact: a key, a blank and a text. */
static void tell_all(int (*look)(const int fd[2], const void *arg),
		     const struct doctor_options *o, int limit_ms,
		     const char *late_key, const char *late)
{
	static char said[FACTS_MAX];
	char *save = NULL, *text;
	struct err err;
	int rc = subprocess_ask(look, o, limit_ms, said, sizeof(said), &err);

	for (char *line = strtok_r(said, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		text = strchr(line, ' ');
		if (!text)
			continue;
		*text++ = '\0';
		doctor_tell(line, "%s", text);
	}
	if (rc < 0)
		doctor_tell(late_key, "%s: no answer in %d s", late,
			    limit_ms / 1000);
}

void doctor_look_hardware(const struct doctor_options *o)
{
	static const char driver[] = "the driver hangs";

	tell_all(look_files, o, DOCTOR_CALL_MS, "run-dir-fault",
		 "/dev/shm or " RUN_DIR_DEFAULT);
	tell_all(look_devices, o, DOCTOR_CALL_MS, "dev-late", driver);
	tell_all(look_npus, o, DOCTOR_CALL_MS, "dev-late",
		 "the driver of the NPUs");
	tell_all(look_rdma, o, DOCTOR_CALL_MS, "rdma-note", driver);
	tell_all(look_gpus, o, gpu_limit_ms(o), "gpu-note", driver);
	doctor_look_nccl_conf();
}
