/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/exec/exec.h"

#include "core/base/hostlist.h"
#include "core/base/parse.h"
#include "core/facts/device.h"
#include "core/facts/handover.h"
#include "core/facts/learned.h"
#include "core/facts/taskmap.h"
#include "core/option/config.h"
#include "core/option/profile.h"
#include "core/plan/framework.h"
#include "helpers/visit/step_find.h"
#include "paths.h"
#include "sys/child.h"
#include "sys/helper_path.h"
#include "sys/log.h"
#include "sys/profile_dir.h"
#include "sys/socket.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int exec_env_set(void *unused, const char *name, const char *value,
		 struct err *err)
{
	(void)unused;
	if (!value)
		return unsetenv(name) < 0 ? err_memory(err) : 0;
	if (strlen(name) + strlen(value) + 2 > ENV_STRING_MAX)
		return err_printf(
			err, "%s has %zu bytes, but the kernel allows %zu",
			name, strlen(value), ENV_STRING_MAX - 2 - strlen(name));
	return setenv(name, value, 1) < 0 ? err_memory(err) : 0;
}

/* --- NPUs --- */

static const char *const npu_names[] = {"npu", "ascend", "davinci", NULL};

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
static int read_gres(const char *line, size_t len, const char *node,
		     struct idlist *ret, const char **ret_name)
{
	cleanup_free char *nodes = word_after(line, len, " Nodes=");
	cleanup_free char *gres = word_after(line, len, " GRES=");
	unsigned at;

	if (!nodes || !gres || hostlist_find(nodes, node, &at) < 0)
		return 0;
	for (int i = 0; npu_names[i] && !ret->n; i++) {
		if (gres_detail(gres, npu_names[i], ret) < 0)
			return -1;
		*ret_name = npu_names[i];
	}
	return 0;
}

int exec_npus_of_node(const char *text, const char *node, struct idlist *ret,
		      const char **ret_name)
{
	ret->n = 0;
	while (*text && !ret->n) {
		size_t len = strcspn(text, "\n");

		if (read_gres(text, len, node, ret, ret_name) < 0)
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

/* Put this node's NPUs into HANDOVER_GRES: those of ASCEND_RT_VISIBLE_DEVICES,
 * else the job's on this node as `scontrol` shows them, which waits for Slurm's
 * controller. Nothing is put when there are none, or when nobody tells. Fails
 * when memory is short, and when the step has fewer of the node's NPUs than its
 * job, for then nobody tells which. */
static int exec_npus_put(const struct job *job, struct err *err)
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

/* --- which task is on which node --- */

/* "Node 1 (node2), 2 task(s): 0 1 " */
static int read_line(const char *line, const struct job *job, unsigned *node,
		     unsigned *ret_n)
{
	const char *at = strstr(line, "task(s):");
	unsigned long number, task;

	if (!at || strncmp(line, "Node ", 5) != 0)
		return 0;
	line += 5;
	if (digits_read(&line, UINT_MAX, &number) < 0 || number >= job->nnodes)
		return -1;
	at += strlen("task(s):");
	for (at += strspn(at, " "); *at; at += strspn(at, " ")) {
		if (digits_read(&at, UINT_MAX, &task) < 0 ||
		    task >= job->ntasks)
			return -1;
		node[task] = (unsigned)number;
		++*ret_n;
	}
	return 0;
}

int exec_layout_read(char *text, const struct job *job, unsigned *node)
{
	char *save = NULL;
	unsigned n = 0;

	for (char *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		if (read_line(line + strspn(line, " \t"), job, node, &n) < 0)
			return -1;
	return n == job->ntasks ? 0 : -1;
}

static int put(const struct job *job, const unsigned *node, struct err *err)
{
	cleanup_free char *map = NULL;
	char name[HOSTLIST_NAME_MAX];

	if (hostlist_nth(job->nodes, node[0], name) < 0 ||
	    taskmap_describe(node, job->ntasks, job->tasks, job->nnodes, &map,
			     err) < 0 ||
	    exec_env_set(NULL, HANDOVER_NODE, name, err) < 0)
		return -1;
	return exec_env_set(NULL, HANDOVER_TASKMAP, map, err);
}

/* Put rank 0's node and which task is where, as `sattach --layout` tells, which
 * waits for Slurm's controller: where Slurm may have dealt out the tasks by its
 * topology. Elsewhere nothing is asked or put. Fails when nobody tells. */
static int exec_layout_put(const struct job *job, bool *ret_known,
			   struct err *err)
{
	const char *pattern = getenv("SLURM_TOPOLOGY_ADDR_PATTERN");
	cleanup_free unsigned *node = NULL;
	cleanup_free char *text = NULL;
	char step[64];

	*ret_known = false;
	if (job->nnodes == 1 || job->het || !job->nodes || !job->tasks ||
	    !getenv("SLURM_JOB_SLUID") || !pattern || !strcmp(pattern, "node"))
		return 0;
	node = calloc(job->ntasks, sizeof(*node));
	if (!node)
		return err_memory(err);
	snprintf(step, sizeof(step), "%lu.%lu", job->job_id, job->step_id);
	text = sattach_layout(step);
	if (!text || exec_layout_read(text, job, node) < 0)
		return err_printf(
			err, "where task 0 is isn't known: Slurm deals out "
			     "tasks by its topology here, and sattach --layout "
			     "doesn't tell; use srun --distribution=cyclic");
	*ret_known = true;
	return put(job, node, err);
}

/* --- the rest --- */

static const char *find_folder(char buf[PATH_MAX])
{
	const char *config = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");

	if (config && *config == '/')
		snprintf(buf, PATH_MAX, "%s/dist-train/profiles", config);
	else
		snprintf(buf, PATH_MAX, "%s/.config/dist-train/profiles",
			 home ? home : "");
	if (access(buf, X_OK) == 0)
		return buf;
	helper_path("profiles", buf);
	return access(buf, X_OK) == 0 ? buf : PROFILES;
}

/* Put the text of the key profile= into HANDOVER_PROFILE: from the user's own
 * folder (XDG_CONFIG_HOME, else ~/.config, dist-train/profiles) where it is
 * there, else from that of the bundle, else from the installed one. Fails as
 * profile_dir_read() does. */
static int put_profile(const struct request *request, struct err *err)
{
	const char *names = request_text(request, KEY_PROFILE);
	cleanup_free char *text = NULL;
	char folder[PATH_MAX];

	if (!names)
		return 0;
	text = profile_dir_read(find_folder(folder), names, err);
	if (!text)
		return -1;
	profile_trim(text);
	return exec_env_set(NULL, HANDOVER_PROFILE, *text ? text : NULL, err);
}

void exec_facts_remove(void)
{
	for (char **e = environ; e && *e;) {
		size_t n = strcspn(*e, "=");
		cleanup_free char *name = NULL;

		if (strncmp(*e, HANDOVER_PREFIX, strlen(HANDOVER_PREFIX)) ==
			    0 &&
		    strncmp(*e, CONFIG_OWN_DEFAULTS "=",
			    sizeof(CONFIG_OWN_DEFAULTS)) != 0)
			name = strndup(*e, n);
		if (name && unsetenv(name) == 0)
			continue; /* the next one is at `e` now */
		e++;
	}
}

/* --- devices --- */

/* All devices of the step on this node. Where Slurm has bound this task to some
 * of them, only their number is known; the indices stand for it. */
static int put_gpus(struct err *err)
{
	const char *seen = getenv("SLURM_STEP_GPUS");
	const char *all = getenv("SLURM_GPUS_ON_NODE");
	struct idlist own;
	char range[32];
	long n;

	if (!seen || idlist_parse(seen, &own) < 0 || !own.n)
		return 0;
	if (all && parse_number(all, own.n + 1, IDLIST_MAX, &n) == 0) {
		snprintf(range, sizeof(range), "0-%ld", n - 1);
		seen = range;
	}
	return exec_env_set(NULL, HANDOVER_GPUS, seen, err);
}

/* The variable by which Slurm limits what the task sees. */
static int put_visible(struct err *err)
{
	for (int i = 0; device_variables[i]; i++) {
		const char *seen = getenv(device_variables[i]);
		cleanup_free char *pair = NULL;

		if (!seen)
			continue;
		if (asprintf(&pair, "%s=%s", device_variables[i], seen) < 0)
			return err_memory(err);
		return exec_env_set(NULL, HANDOVER_VISIBLE, pair, err);
	}
	return 0;
}

static int put_devices(const struct request *r, const struct job *job,
		       struct err *err)
{
	if (put_gpus(err) < 0)
		return -1;
	if (getenv(HANDOVER_GPUS))
		return put_visible(err);
	return framework_may_npu(r->framework) ? exec_npus_put(job, err) : 0;
}

/* As if all nodes had as many devices as this one; other components have other
 * numbers. */
static int put_counts(const struct job *job, struct err *err)
{
	unsigned n = device_count(&job->devices);
	char text[48];

	if (n > 1 && job->het && !job->procid)
		log_line("dist-train exec doesn't count the devices of this "
			 "heterogeneous step: each task is one process; "
			 "procs=N starts N for each");
	if (!n || job->het)
		return 0;
	snprintf(text, sizeof(text), "%u(x%u)", n, job->ntasks);
	return exec_env_set(NULL, HANDOVER_PROCS, text, err);
}

/* --- which task is where --- */

/* Whether srun dealt out the tasks in that way, as far as this one sees. */
static bool is_place(const struct job *job, const char *map)
{
	struct err unused;
	cleanup_free struct task_place *place = taskmap_make(
		job->tasks, map, job->ntasks, job->nnodes, &unused);

	return place && place[job->procid].node == job->nodeid &&
	       place[job->procid].local == job->localid;
}

/* How srun dealt out the tasks among the nodes: "block", "cyclic:block", ... A
 * way that the tasks' numbers don't show has to be learned. */
static int put_taskmap(const struct job *job, unsigned *learn, struct err *err)
{
	const char *how = getenv("SLURM_DISTRIBUTION");
	bool cyclic = how && !strncmp(how, "cyclic", 6);
	bool block = !how || !strncmp(how, "block", 5);
	const char *map = cyclic ? TASKMAP_CYCLIC : NULL;

	if (!job->tasks || job_one_task_per_node(job) || job->nnodes == 1)
		return 0;
	if ((cyclic || block) && is_place(job, map))
		return exec_env_set(NULL, HANDOVER_TASKMAP, map, err);
	*learn |= LEARN_TASKMAP;
	return 0;
}

/* Rank 0's node, where it isn't the first of the step's. */
static int put_rank0(const struct job *job, struct err *err)
{
	const char *how = getenv("SLURM_DISTRIBUTION");
	const char *nodes = getenv("SLURM_ARBITRARY_NODELIST");
	char name[HOSTLIST_NAME_MAX];

	if (!how || strncmp(how, "arbitrary", 9) != 0 || job->nnodes == 1)
		return 0;
	if (!nodes || hostlist_nth(nodes, 0, name) < 0)
		return err_printf(err, "where rank 0 is isn't known without "
				       "the plugin when srun has -m arbitrary; "
				       "use -m block or -m cyclic");
	return exec_env_set(NULL, HANDOVER_NODE, name, err);
}

/* --- what only the others know --- */

/* No variable tells what srun was asked for; how the tasks were dealt out has
 * been found already. */
static unsigned find_learn(const struct request *r, const struct job *job,
			   const struct resolved *w)
{
	bool named = !(w->needs & (NEEDS_PROCMAP | NEEDS_TASKMAP)) ||
		     host_is_known(job->rank0_node);

	if (job->het)
		return 0;
	return resolve_unhooked_learn(r, w, job, getenv("SLURM_GPUS"), named) &
	       ~LEARN_TASKMAP;
}

/* A step of several components lists the nodes of one of them. */
static bool is_het(void)
{
	const char *nodes = getenv("SLURM_STEP_NODELIST");
	const char *all = getenv("SLURM_STEP_NUM_NODES");
	unsigned n;

	return getenv("SLURM_HET_SIZE") && nodes && all &&
	       hostlist_count(nodes, &n) == 0 && n != strtoul(all, NULL, 10);
}

static int put_id(const struct job *job, struct err *err)
{
	char id[64];

	snprintf(id, sizeof(id), "%d:%lu.%lu", HANDOVER_VERSION, job->job_id,
		 job->step_id);
	return exec_env_set(NULL, HANDOVER_ID, id, err);
}

/* Read the facts once more, now with what was put. */
static int read_again(struct job *job, struct err *err)
{
	bool het = job->het;

	job_clear(job);
	return job_read(own_env, NULL, het, job, err);
}

static int put_all(const struct request *r, struct job *job,
		   unsigned *ret_learn, struct err *err)
{
	struct resolved w;
	bool known;

	*ret_learn = 0;
	if (put_id(job, err) < 0 || put_devices(r, job, err) < 0 ||
	    exec_layout_put(job, &known, err) < 0 ||
	    (!known && put_rank0(job, err) < 0) || put_profile(r, err) < 0 ||
	    read_again(job, err) < 0)
		return -1;
	resolve(r, job, &w);
	if (!job->het && !known &&
	    (w.chief || w.needs & (NEEDS_PROCMAP | NEEDS_TASKMAP)) &&
	    put_taskmap(job, ret_learn, err) < 0)
		return -1;
	if (w.device_counts && put_counts(job, err) < 0)
		return -1;
	*ret_learn |= find_learn(r, job, &w);
	return read_again(job, err);
}

int exec_facts(const struct request *r, struct job *ret, unsigned *ret_learn,
	       struct err *err)
{
	struct job job = {0};

	exec_facts_remove();
	if (job_read(own_env, NULL, is_het(), &job, err) < 0)
		return -1;
	if (put_all(r, &job, ret_learn, err) < 0) {
		job_clear(&job);
		return -1;
	}
	*ret = job;
	return 0;
}
