/* SPDX-License-Identifier: Apache-2.0 */
/* On a node: its devices, its InfiniBand and RoCE ports and its folders, as the
 * check before a start asks for them (helpers/check), and NCCL's own files. */
#include "core/facts/handover.h"
#include "helpers/check/node_look.h"
#include "helpers/cli/doctor/doctor.h"
#include "helpers/npu/devinfo.h"
#include "sys/loop.h"

#include <stdlib.h>
#include <string.h>

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

/* "KEY TEXT" */
static void tell_all(void *arg, const char *facts)
{
	cleanup_free char *copy = strdup(facts);
	char *save = NULL, *text;

	for (char *line = copy ? strtok_r(copy, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		text = strchr(line, ' ');
		if (!text)
			continue;
		*text++ = '\0';
		doctor_tell(line, "%s", text);
	}
	loop_stop(arg);
}

void doctor_look_hardware(const struct doctor_options *o)
{
	struct node_look_wish wish = {
		/* Of --timeout, in which the host waits for all of the node's
		 * facts. nvidia-smi needs seconds for each device without
		 * persistence mode. */
		.limit_ms = (int)o->timeout_s * 1000 / 3,
		.gpus = gpus_given(),
		.run_dir = RUN_DIR_DEFAULT,
	};
	struct node_look look = {.done = tell_all};
	struct npu_nodes nodes;
	struct loop loop;
	struct err err;

	if (devinfo_nodes(devinfo_root(), &nodes, &err) == 0)
		wish.npus = nodes.allowed;
	if (loop_open(&loop, &err) == 0) {
		look.arg = look.loop = &loop;
		if (node_look_begin(&look, &wish, &err) == 0)
			loop_run(&loop, &err);
		node_look_close(&look);
	}
	loop_close(&loop);
	doctor_look_nccl_conf();
}
