/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/exec/exec.h"

#include "core/base/hostlist.h"
#include "core/facts/device.h"
#include "core/facts/handover.h"
#include "helpers/visit/step_find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"npu", "ascend", "davinci", NULL};

/* A copy of the word after `key` in the line, or NULL. */
static char *word_after(const char *line, size_t len, const char *key)
{
	const char *at = memmem(line, len, key, strlen(key));

	if (!at)
		return NULL;
	at += strlen(key);
	return strndup(at, strcspn(at, " \t\n"));
}

/* A line of the job's record: Nodes=node[1-2] CPU_IDs=0-3 Mem=0
 * GRES=npu:8(IDX:0-7) */
static int read_line(const char *line, size_t len, const char *node,
		     struct idlist *ret, const char **ret_name)
{
	cleanup_free char *nodes = word_after(line, len, " Nodes=");
	cleanup_free char *gres = word_after(line, len, " GRES=");
	unsigned at;

	if (!nodes || !gres || hostlist_find(nodes, node, &at) < 0)
		return 0;
	for (int i = 0; names[i] && !ret->n; i++) {
		if (gres_detail(gres, names[i], ret) < 0)
			return -1;
		*ret_name = names[i];
	}
	return 0;
}

int exec_npus_of_node(const char *text, const char *node, struct idlist *ret,
		      const char **ret_name)
{
	ret->n = 0;
	while (*text && !ret->n) {
		size_t len = strcspn(text, "\n");

		if (read_line(text, len, node, ret, ret_name) < 0)
			return -1;
		text += len + (text[len] == '\n');
	}
	return 0;
}

/* A step that asks for nothing has its job's request; one whose record has no
 * gres at all has no devices. */
unsigned long exec_npus_of_step(const char *text, const char *name,
				unsigned available)
{
	static const char *const keys[] = {"TresPerNode=", "TresPerTask="};
	unsigned long n;

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		cleanup_free char *asked =
			word_after(text, strlen(text), keys[i]);

		if (asked && gres_asked(asked, name, &n))
			return n;
	}
	return strstr(text, "gres") ? available : 0;
}

static int ask_slurm(const struct job *job, struct idlist *ret, struct err *err)
{
	cleanup_free char *of_job = NULL, *of_step = NULL;
	const char *name = NULL;
	unsigned long n;
	char id[48];

	snprintf(id, sizeof(id), "%lu", job->job_id);
	of_job = scontrol_details("job", id);
	if (!of_job ||
	    exec_npus_of_node(of_job, job->node_name, ret, &name) < 0)
		ret->n = 0;
	snprintf(id, sizeof(id), "%lu.%lu", job->job_id, job->step_id);
	of_step = ret->n ? scontrol_details("step", id) : NULL;
	if (!of_step)
		return 0;
	n = exec_npus_of_step(of_step, name, ret->n);
	if (!n)
		ret->n = 0;
	if (n >= ret->n)
		return 0;
	return err_printf(
		err,
		"this step has %lu of the %u %s devices of its job on node "
		"%s, but Slurm doesn't tell which; let the step have all of "
		"them, or set %s",
		n, ret->n, name, job->node_name, DEVICE_VARIABLE_ASCEND);
}

int exec_npus_put(const struct job *job, struct err *err)
{
	const char *visible = getenv(DEVICE_VARIABLE_ASCEND);
	cleanup_free char *gres = NULL;
	char list[1024];
	struct idlist npus = {0};

	if ((!visible || idlist_parse(visible, &npus) < 0) &&
	    ask_slurm(job, &npus, err) < 0)
		return -1;
	if (!npus.n || idlist_format(&npus, list, sizeof(list)) < 0)
		return 0;
	if (asprintf(&gres, "%s:%s", job->node_name, list) < 0)
		return err_memory(err);
	return exec_env_set(NULL, HANDOVER_GRES, gres, err);
}
