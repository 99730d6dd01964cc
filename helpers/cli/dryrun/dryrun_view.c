/* SPDX-License-Identifier: Apache-2.0 */
/* The facts and the plan of one task of a step that isn't there. */
#include "core/facts/handover.h"
#include "core/option/profile.h"
#include "core/plan/recovery.h"
#include "helpers/cli/dryrun/dryrun_step.h"
#include "sys/profile_dir.h"

#include <stdlib.h>
#include <string.h>

/* What the task would find in its environment. */
struct facts {
	struct fact {
		const char *name;
		const char *text; /* NULL: the number */
		char number[24];
	} fact[24];
	size_t n;
};

static void add_number(struct facts *f, const char *name, unsigned long number)
{
	struct fact *fact = &f->fact[f->n++];

	fact->name = name;
	fact->text = NULL;
	snprintf(fact->number, sizeof(fact->number), "%lu", number);
}

static void add_text(struct facts *f, const char *name, const char *text)
{
	if (text)
		f->fact[f->n++] = (struct fact){.name = name, .text = text};
}

static const char *look_up(void *arg, const char *name)
{
	const struct facts *f = arg;

	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->fact[i].name, name))
			return f->fact[i].text ? f->fact[i].text
					       : f->fact[i].number;
	return NULL;
}

static void add_slurm(const struct dryrun *e, unsigned procid, struct facts *f)
{
	const struct dryrun_task *task = &e->task[procid];

	add_number(f, "SLURM_JOB_ID", e->job_id);
	add_number(f, "SLURM_STEP_ID", e->step_id);
	add_number(f, "SLURM_STEP_NUM_TASKS", e->ntasks);
	add_number(f, "SLURM_STEP_NUM_NODES", e->nnodes);
	add_number(f, "SLURM_PROCID", procid);
	add_number(f, "SLURM_LOCALID", task->local);
	add_number(f, "SLURM_NODEID", task->node);
	/* Of SLURM_GTIDS job_read() takes only how many there are. */
	if (!e->firsts)
		add_text(f, "SLURM_GTIDS",
			 e->commas + (e->tasks_max - e->tasks[task->node]));
}

#define VISIBLE "CUDA_VISIBLE_DEVICES="

/* The texts of what a task finds of its devices. */
struct device_texts {
	char visible[sizeof(VISIBLE) + IDLIST_MAX * 6];
	char gres[HOSTLIST_NAME_MAX + IDLIST_MAX * 6];
	char index[IDLIST_MAX * 6], own[IDLIST_MAX * 6];
};

/* "0,1,2" from `first` on. */
static int list_devices(unsigned first, unsigned n, char *buf, size_t size,
			struct err *err)
{
	struct idlist ids = {.n = n};

	for (unsigned i = 0; i < n; i++)
		ids.id[i] = (unsigned short)(first + i);
	if (idlist_format(&ids, buf, size) < 0)
		return err_printf(err, "%u devices: too many to show", n);
	return 0;
}

/* As with --gpus-per-task: a task sees its own, from 0 on, and Slurm says
 * which of the node's they are. */
static int bind_devices(const struct dryrun *e, const struct dryrun_task *task,
			unsigned n, struct device_texts *t, struct facts *f,
			struct err *err)
{
	unsigned each = e->task_devices;

	if (e->tasks[task->node] == 1 || each * (task->local + 1) > n)
		each = 0;
	if (!each) {
		add_text(f, "SLURM_STEP_GPUS", t->visible + strlen(VISIBLE));
		add_text(f, "CUDA_VISIBLE_DEVICES",
			 t->visible + strlen(VISIBLE));
		return 0;
	}
	if (list_devices(task->local * each, each, t->index, sizeof(t->index),
			 err) < 0 ||
	    list_devices(0, each, t->own, sizeof(t->own), err) < 0)
		return -1;
	add_text(f, "SLURM_STEP_GPUS", t->index);
	add_text(f, "CUDA_VISIBLE_DEVICES", t->own);
	return 0;
}

/* What a task of the step is told of its node's devices: of GPUs by Slurm's
 * variables, of NPUs by what srun hands over. */
static int add_devices(const struct dryrun *e, unsigned procid,
		       const char *node, struct device_texts *t,
		       struct facts *f, struct err *err)
{
	const struct dryrun_task *task = &e->task[procid];
	unsigned n = e->devices[task->node];

	if (!n)
		return 0;
	strcpy(t->visible, VISIBLE);
	if (list_devices(0, n, t->visible + strlen(VISIBLE),
			 sizeof(t->visible) - strlen(VISIBLE), err) < 0)
		return -1;
	if (e->npu) {
		snprintf(t->gres, sizeof(t->gres), "%s:0-%u", node, n - 1);
		add_text(f, HANDOVER_GRES, t->gres);
		return 0;
	}
	add_text(f, HANDOVER_VISIBLE, t->visible);
	add_text(f, HANDOVER_GPUS, t->visible + strlen(VISIBLE));
	return bind_devices(e, task, n, t, f, err);
}

/* The tasks of a node, where somebody reads them. */
static char *list_tasks(const struct dryrun *e, unsigned node)
{
	char *text = NULL;
	size_t size;
	FILE *f = e->firsts ? open_memstream(&text, &size) : NULL;
	const char *comma = "";

	for (unsigned t = 0; f && t < e->ntasks; t++) {
		if (e->task[t].node != node)
			continue;
		fprintf(f, "%s%u", comma, t);
		comma = ",";
	}
	if (f)
		fclose(f);
	return text;
}

/* What the launchers of a heterogeneous step come to. */
static int deal(const struct dryrun *e, struct job *job, char *remark,
		struct err *err)
{
	if (!e->firsts)
		return 0;
	job->het = true;
	job->devices.npu = e->npu; /* also of a node that has none */
	job->firsts = strdup(e->firsts);
	if (!job->firsts)
		return err_memory(err);
	return components_deal(job, e->wish, e->nparts, remark, err);
}

static int read_job(const struct dryrun *e, unsigned procid, char *remark,
		    struct job *ret, struct err *err)
{
	cleanup_free char *tasks = list_tasks(e, e->task[procid].node);
	char node[HOSTLIST_NAME_MAX], first[HOSTLIST_NAME_MAX];
	char id[JOB_STEP_SIZE];
	unsigned node_index = e->task[procid].node;
	struct device_texts devices;
	struct facts facts = {.n = 0};

	if (hostlist_nth(e->nodes, node_index, node) < 0 ||
	    hostlist_nth(e->nodes, e->task[0].node, first) < 0)
		return err_printf(err, "--nodes: a name has more than %d bytes",
				  HOSTLIST_NAME_MAX - 1);
	snprintf(id, sizeof(id), "%d:%lu.%lu", HANDOVER_VERSION, e->job_id,
		 e->step_id);
	add_slurm(e, procid, &facts);
	add_text(&facts, "SLURM_STEP_NODELIST", e->nodes);
	add_text(&facts, "SLURM_STEP_TASKS_PER_NODE", e->tasks_text);
	add_text(&facts, HANDOVER_TASKMAP, e->taskmap);
	add_text(&facts, HANDOVER_ORDER, e->order);
	add_text(&facts, "SLURMD_NODENAME", node);
	add_text(&facts, HANDOVER_ID, id);
	add_text(&facts, HANDOVER_NODE, first);
	add_text(&facts, HANDOVER_ADDR, DRYRUN_ADDR);
	add_text(&facts, HANDOVER_PROCS, e->procs);
	add_text(&facts, HANDOVER_NIC, e->nnodes > 1 ? DRYRUN_NIC : "lo");
	if (add_devices(e, procid, node, &devices, &facts, err) < 0)
		return -1;
	if (tasks)
		add_text(&facts, "SLURM_GTIDS", tasks);
	if (job_read(look_up, &facts, false, ret, err) < 0)
		return -1;
	if (deal(e, ret, remark, err) == 0)
		return 0;
	job_clear(ret);
	return -1;
}

int dryrun_job(const struct dryrun *e, unsigned procid, struct job *ret,
	       struct err *err)
{
	char remark[COMPONENTS_REMARK_SIZE];

	return read_job(e, procid, remark, ret, err);
}

int dryrun_components_remark(const struct dryrun *e,
			     char ret[COMPONENTS_REMARK_SIZE], struct err *err)
{
	struct job job;

	*ret = '\0';
	if (read_job(e, 0, ret, &job, err) < 0)
		return -1;
	job_clear(&job);
	return 0;
}

/* An address of the kind that stands for one, for each node. */
static int add_addresses(struct job *job, struct err *err)
{
	size_t size;
	FILE *f = open_memstream(&job->addrs, &size);

	if (!f)
		return err_memory(err);
	for (unsigned i = 1; i <= job->nnodes; i++)
		if (i < 255)
			fprintf(f, "%s192.0.2.%u", i > 1 ? "," : "", i);
		else
			fprintf(f, ",198.%u.%u.%u", 18 + (i >> 16),
				i >> 8 & 255, i & 255);
	return fclose(f) == 0 ? 0 : err_memory(err);
}

/* The key addr=nic: each node has that interface. */
static int add_interface(struct job *job, const char *nic, struct err *err)
{
	job->nic_addr = strdup(DRYRUN_ADDR);
	if (!job->nic_addr)
		return err_memory(err);
	if (job->nnodes == 1)
		return 0;
	free(job->nic);
	job->nic = strdup(nic);
	return job->nic ? 0 : err_memory(err);
}

/* What a node finds out by its interface. */
static int add_own_address(const struct request *r, const struct resolved *w,
			   struct job *job, struct err *err)
{
	if (!w->own_address || request_word(r, KEY_NIC) == NIC_OFF)
		return 0;
	job->own_addr = strdup(ENV_ON_NODE);
	return job->own_addr ? 0 : err_memory(err);
}

/* What slurmstepd reads on a node, from this host's folder. */
static int add_profile(struct dryrun_view *view, struct err *err)
{
	const struct config *config = view->config;
	const char *names = request_text(view->request, KEY_PROFILE);
	const struct profile_place anywhere = {0};
	cleanup_free char *defaults = NULL, *text = NULL;

	if (!names && config->profiles) {
		defaults = profile_defaults(config->profiles, &anywhere);
		if (!defaults)
			return err_memory(err);
		names = defaults;
	}
	if (!names || !*names)
		return 0;
	text = profile_dir_read(config->profiledir, names, err);
	if (!text)
		return -1;
	return profile_parse("profile", text, &view->job.profile, err);
}

/* All that the task knows. */
static int load_job(struct dryrun_view *view, unsigned procid, struct err *err)
{
	const char *nic = request_text(view->request, KEY_ADDR);
	struct resolved resolved;

	if (dryrun_job(view->example, procid, &view->job, err) < 0)
		return -1;
	view->loaded = true;
	if (view->part) {
		unsigned number, n;

		if (component_of(&view->job, procid, &number, &n, err) < 0)
			return -1;
		view->request = &view->part[number];
	}
	view->job.imagined = true;
	if (add_profile(view, err) < 0)
		return -1;
	if (nic && add_interface(&view->job, nic, err) < 0)
		return -1;
	resolve(view->request, &view->job, &resolved);
	if (add_own_address(view->request, &resolved, &view->job, err) < 0 ||
	    ((resolved.addresses || resolved.recovery) &&
	     add_addresses(&view->job, err) < 0))
		return -1;
	view->job.command = view->command;
	view->procid = procid;
	return 0;
}

/* In recovery the plan is that of the world's job. */
static int enter_world(struct dryrun_view *view, struct err *err)
{
	const struct job *job;
	struct job own;

	job = first_world(view->request, &view->job, &own, err);
	if (!job)
		return -1;
	if (job == &own) {
		job_clear(&view->job);
		view->job = own;
	}
	return 0;
}

int dryrun_view_task(struct dryrun_view *view, unsigned i, struct err *err)
{
	unsigned procid = dryrun_task_at(view->example, i);

	dryrun_view_clear(view);
	if (load_job(view, procid, err) == 0 && enter_world(view, err) == 0 &&
	    plan_make(view->request, view->config, &view->job, &view->plan,
		      err) == 0)
		return 0;
	dryrun_view_clear(view);
	return -1;
}

char **dryrun_view_spares(const struct dryrun_view *view)
{
	const struct dryrun *e = view->example;
	unsigned n = view->plan.resolved.spares;
	char **names = n ? hostnames_make(e->nodes, e->nnodes) : NULL;
	char **spares = names ? calloc(n + 1UL, sizeof(*spares)) : NULL;

	for (unsigned i = 0; spares && i < n; i++) {
		unsigned node = dryrun_node_at(e, e->nnodes - n + i);

		spares[i] = strdup(names[node]);
		if (!spares[i]) {
			hostnames_free(spares);
			spares = NULL;
		}
	}
	hostnames_free(names);
	return spares;
}

/* Whether the view's task is before (-1), after (1) or the one of `rank`. */
static int compare(const struct dryrun_view *view, unsigned rank)
{
	if (rank < view->plan.first_rank)
		return 1;
	return rank - view->plan.first_rank < view->plan.nprocs ? 0 : -1;
}

int dryrun_view_rank(struct dryrun_view *view, unsigned rank, struct err *err)
{
	unsigned low = 0, high = view->example->ntasks, at;

	/* those of spares are the last */
	while (!view->loaded || compare(view, rank) != 0) {
		at = low + (high - low) / 2;
		if (view->loaded && !view->plan.resolved.device_mode)
			at = rank; /* one process per task */
		if (low >= high || at >= high)
			return err_printf(err, "no rank %u in this step", rank);
		if (dryrun_view_task(view, at, err) < 0)
			return -1;
		if (compare(view, rank) < 0)
			low = at + 1;
		else
			high = at;
	}
	return 0;
}

void dryrun_view_clear(struct dryrun_view *view)
{
	if (view->loaded)
		job_clear(&view->job);
	view->loaded = false;
}
