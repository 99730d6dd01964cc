/* SPDX-License-Identifier: Apache-2.0 */
/* On a node: its devices, its InfiniBand and RoCE ports and its folders, as the
 * check before a start asks for them (helpers/check), and NCCL's own files. */
#include "core/base/text.h"
#include "core/facts/handover.h"
#include "helpers/check/node_facts.h"
#include "helpers/check/node_look.h"
#include "helpers/cli/doctor/doctor.h"
#include "helpers/npu/devinfo.h"
#include "sys/interfaces.h"
#include "sys/loop.h"
#include "sys/text_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* On a node: what NCCL's own files set, which are weaker than the environment.
 * Where they choose the interfaces, nic=auto doesn't (task/task_facts.c). */

#define FILE_MAX (64 << 10)
#define IFNAME	 "NCCL_SOCKET_IFNAME="

/* Whether a word of NCCL's list is about this interface: a prefix, or with '='
 * before the list a name. */
static bool is_named(const char *list, const char *interface, bool exact)
{
	size_t len = strlen(interface);

	for (;; list++) {
		size_t n = strcspn(list, ",");

		if (n && n <= len && !strncmp(list, interface, n) &&
		    (!exact || n == len))
			return true;
		list += n;
		if (!*list)
			return false;
	}
}

/* Whether the list leaves any interface of this node. */
static bool leaves_any(const char *list)
{
	bool without = *list == '^', exact;
	struct interfaces all;

	list += without;
	exact = *list == '=';
	list += exact;
	if (interfaces_find(&all) < 0)
		return true;
	for (unsigned i = 0; i < all.n; i++)
		if (is_named(list, all.at[i].name, exact) != without)
			return true;
	return false;
}

static bool look_at(const char *path, bool decided)
{
	struct err ignored;
	cleanup_free char *text = text_file_read(path, FILE_MAX, &ignored);
	char set[DOCTOR_TEXT_SIZE] = "", *save = NULL;
	bool decides = false;

	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (strncmp(line, "NCCL_", 5) != 0 || !strchr(line, '='))
			continue;
		text_add(set, sizeof(set), " ", "%.100s", line);
		if (strncmp(line, IFNAME, strlen(IFNAME)) != 0)
			continue;
		decides = true;
		if (!decided && !leaves_any(line + strlen(IFNAME)))
			doctor_tell("nccl-ifname", "%s %.100s", path, line);
	}
	if (*set)
		doctor_tell("nccl-conf", "%s %s", path, set);
	return decides;
}

static void doctor_look_nccl_conf(void)
{
	const char *own = getenv("NCCL_CONF_FILE"), *home = getenv("HOME");
	char path[4096];
	bool decided = false;

	if (own && *own)
		snprintf(path, sizeof(path), "%s", own);
	else
		snprintf(path, sizeof(path), "%s/.nccl.conf", home ? home : "");
	if (home || own)
		decided = look_at(path, false);
	snprintf(path, sizeof(path), "%s/etc/nccl.conf", hardware_root());
	look_at(path, decided);
}

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
