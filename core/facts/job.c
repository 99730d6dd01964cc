/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Read the facts of a task from its environment: Slurm's variables, and
 * those that srun's plugin has passed on (core/facts/handover.h). The plugin
 * calls job_read() in task_init; the launcher reads the same facts again.
 * What a variable says is checked, never trusted.
 */
#include "config.h"

#include "core/facts/job.h"

#include "core/base/hostlist.h"
#include "core/base/parse.h"
#include "core/facts/auth.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct job, member)

/* clang-format off */
const struct job_field job_fields[JOB_NFIELDS] = {
	{AT(node_name), "SLURMD_NODENAME", false, false},
	{AT(resv_ports), "SLURM_STEP_RESV_PORTS", false, false},
	{AT(rank0_node), HANDOVER_NODE, true, true},
	{AT(rank0_addr), HANDOVER_ADDR, true, true},
	{AT(procs), HANDOVER_PROCS, true, true},
	{AT(node_procs), NULL, true, true},
	{AT(firsts), NULL, true, true},
	{AT(nodes), "SLURM_STEP_NODELIST", false, true},
	{AT(tasks), "SLURM_STEP_TASKS_PER_NODE", false, true},
	{AT(gtids), "SLURM_GTIDS", false, false},
	{AT(taskmap), HANDOVER_TASKMAP, true, true},
	{AT(addrs), HANDOVER_ADDRS, true, true},
	{AT(order), HANDOVER_ORDER, true, false},
	{AT(gres), HANDOVER_GRES, true, false},
	{AT(nic), HANDOVER_NIC, false, false},
	{AT(interfaces), HANDOVER_INTERFACES, false, false},
	{AT(nccl_conf), HANDOVER_NCCL_CONF, false, false},
	{AT(own_addr), HANDOVER_OWN_ADDR, false, false},
	{AT(nic_addr), HANDOVER_NIC_ADDR, false, false},
	{AT(rdma), HANDOVER_RDMA, false, false},
	{AT(mpi_type), "SLURM_MPI_TYPE", false, false},
	{AT(world), NULL, false, false}, /* read_world() */
};
/* clang-format on */

struct source {
	env_lookup_fn lookup;
	void *arg;
	bool handed_over; /* the passed-on values belong to this step */
};

static int read_number(const struct source *s, const char *name,
		       unsigned long *ret, struct err *err)
{
	const char *text = s->lookup(s->arg, name);
	char shown[SHOW_SIZE];
	long n;

	if (!text)
		return err_printf(err, "%s isn't set; is this a Slurm task?",
				  name);
	if (parse_number(text, 0, UINT_MAX, &n) < 0)
		return err_printf(err, "%s=%s isn't a number", name,
				  show(shown, text));
	*ret = (unsigned long)n;
	return 0;
}

static int read_unsigned(const struct source *s, const char *name,
			 unsigned *ret, struct err *err)
{
	unsigned long n;

	if (read_number(s, name, &n, err) < 0)
		return -1;
	*ret = (unsigned)n;
	return 0;
}

/* Read a number that may be missing; then it is 0. */
static unsigned read_hint(const struct source *s, const char *name)
{
	const char *text = s->lookup(s->arg, name);
	long n;

	return text && parse_number(text, 1, INT_MAX, &n) == 0 ? (unsigned)n
							       : 0;
}

static bool is_set(const struct source *s, const char *name)
{
	const char *text = s->lookup(s->arg, name);

	return text;
}

/* Slurm tells each task what was asked. */
static bool are_bound(const struct source *s)
{
	return is_set(s, "SLURMD_TRES_BIND") || is_set(s, "SLURM_GPU_BIND") ||
	       is_set(s, "SLURM_TRES_BIND") || is_set(s, "SLURM_GPUS_PER_TASK");
}

static char *copy_of(const struct source *s, const char *name)
{
	const char *text = name ? s->lookup(s->arg, name) : NULL;

	return text ? strdup(text) : NULL;
}

/* As srun has handed it over; else Slurm's own, since 23.02. */
static int64_t read_end(const struct source *s)
{
	const char *text = s->lookup(s->arg, HANDOVER_END);
	long n;

	if (!text)
		text = s->lookup(s->arg, "SLURM_JOB_END_TIME");
	return text && parse_number(text, 0, LONG_MAX, &n) == 0 ? n : 0;
}

static int read_identity(const struct source *s, struct job *job,
			 struct err *err)
{
	const char *restart = s->lookup(s->arg, "SLURM_RESTART_COUNT");
	const char *gtids = s->lookup(s->arg, "SLURM_GTIDS");
	long n;

	if (read_number(s, "SLURM_JOB_ID", &job->job_id, err) < 0 ||
	    read_number(s, "SLURM_STEP_ID", &job->step_id, err) < 0 ||
	    read_unsigned(s, "SLURM_STEP_NUM_TASKS", &job->ntasks, err) < 0 ||
	    read_unsigned(s, "SLURM_STEP_NUM_NODES", &job->nnodes, err) < 0 ||
	    read_unsigned(s, "SLURM_PROCID", &job->procid, err) < 0 ||
	    read_unsigned(s, "SLURM_LOCALID", &job->localid, err) < 0 ||
	    read_unsigned(s, "SLURM_NODEID", &job->nodeid, err) < 0)
		return -1;
	if (restart && parse_number(restart, 0, UINT_MAX, &n) == 0)
		job->restart = (unsigned)n;
	job->end_time = read_end(s);
	job->place = job->nodeid;
	job->local_ntasks = 1;
	for (const char *p = gtids ? gtids : ""; *p; p++)
		job->local_ntasks += *p == ',';
	if (!job->ntasks || job->procid >= job->ntasks)
		return err_printf(err,
				  "SLURM_PROCID=%u isn't below "
				  "SLURM_STEP_NUM_TASKS=%u",
				  job->procid, job->ntasks);
	if (job->localid >= job->local_ntasks)
		return err_printf(err,
				  "SLURM_LOCALID=%u isn't below the %u tasks "
				  "of SLURM_GTIDS",
				  job->localid, job->local_ntasks);
	return 0;
}

int job_handover_version(const char *id, unsigned long job_id,
			 unsigned long step_id)
{
	unsigned long version, job, step;

	if (digits_read(&id, INT_MAX, &version) < 0 || *id++ != ':' ||
	    digits_read(&id, UINT_MAX, &job) < 0 || *id++ != '.' ||
	    digits_read(&id, UINT_MAX, &step) < 0 || job != job_id ||
	    step != step_id || *id)
		return -1;
	return (int)version;
}

static int bad_version(const char *release, int version, struct err *err)
{
	char shown[SHOW_SIZE];

	return err_printf(err,
			  "srun has slurm-dist-train %.40s with protocol "
			  "version %d, and this node '%s' with %d; install one "
			  "release on all hosts",
			  show(shown, release ? release : "of another release"),
			  version, PACKAGE_VERSION, HANDOVER_VERSION);
}

/* Check that the values that srun has passed on belong to this step and have
 * this version. */
static int read_handover(struct source *s, const struct job *job,
			 struct err *err)
{
	const char *id = s->lookup(s->arg, HANDOVER_ID);
	int version = -1;

	if (id && !job->het)
		version = job_handover_version(id, job->job_id, job->step_id);
	if (version < 0)
		return 0;
	if (version != HANDOVER_VERSION)
		return bad_version(s->lookup(s->arg, HANDOVER_RELEASE), version,
				   err);
	s->handed_over = true;
	return 0;
}

/* In a launcher; slurmstepd has told it. */
static void read_component(const struct source *s, struct job *job)
{
	const char *text =
		s->handed_over ? s->lookup(s->arg, HANDOVER_FIRST) : NULL;
	unsigned first, n;

	if (!text || sscanf(text, "%u %u", &first, &n) != 2 ||
	    first > job->procid || n > job->ntasks - first)
		return;
	job->het = true;
	job->first = first;
	job->component_tasks = n;
}

/* The nodes of a component of the job. Slurm 22.05's srun knows the variable by
 * its old name only, and the other one may be an outer job's. */
static const char *component_nodes(const struct source *s, const char *name,
				   unsigned number)
{
	char variable[64];

	snprintf(variable, sizeof(variable), "SLURM_JOB_NODELIST_%s_GROUP_%u",
		 name, number);
	return s->lookup(s->arg, variable);
}

struct first_node {
	const char *step; /* its nodes, by name */
	char *name;
};

static int take_if_of_step(void *arg, const char *name)
{
	struct first_node *f = arg;
	unsigned at;

	if (f->step && hostlist_find(f->step, name, &at) < 0)
		return 0;
	f->name = strdup(name);
	return -1;
}

/* Tasks are in the order of the job's components, of which the step may have
 * some only (`srun --het-group=1`), and some of their nodes. */
static void find_in_components(const struct source *s, struct first_node *f)
{
	for (unsigned i = 0; !f->name; i++) {
		const char *nodes = component_nodes(s, "HET", i);
		const char *old = component_nodes(s, "PACK", i);

		if (!nodes && !old)
			return;
		if (nodes)
			hostlist_each(nodes, take_if_of_step, f);
		if (old && !f->name)
			hostlist_each(old, take_if_of_step, f);
	}
}

/* The node of rank 0 if srun hasn't passed it on: the first node of the step's
 * first component, or of the step. That holds for all distributions but an
 * arbitrary one, and rank 0 itself checks it. */
static char *first_node(const struct source *s)
{
	struct first_node f = {
		.step = s->lookup(s->arg, "SLURM_STEP_NODELIST")};
	char name[HOSTLIST_NAME_MAX];

	find_in_components(s, &f);
	if (!f.name && f.step && hostlist_nth(f.step, 0, name) == 0)
		f.name = strdup(name);
	return f.name;
}

static int read_index(const struct source *s, const char *name,
		      struct idlist *ret)
{
	const char *text = s->lookup(s->arg, name);

	return text ? idlist_parse(text, ret) : 0;
}

/* The variable that limits what the step sees, and its two values. */
static int read_visible(const struct source *s, struct device_facts *d,
			struct err *err)
{
	const char *step = s->lookup(s->arg, HANDOVER_VISIBLE);
	const char *eq = step ? strchr(step, '=') : NULL;

	if (!eq)
		return 0;
	for (int i = 0; device_variables[i]; i++)
		if (strlen(device_variables[i]) == (size_t)(eq - step) &&
		    !strncmp(device_variables[i], step, (size_t)(eq - step)))
			d->variable = device_variables[i];
	if (!d->variable)
		return 0;
	d->step_visible = strdup(eq + 1);
	d->task_visible = copy_of(s, d->variable);
	return d->step_visible ? 0 : err_memory(err);
}

/* What Slurm limits by no variable. */
static int read_npus(const struct source *s, const struct job *job,
		     struct device_facts *d, struct err *err)
{
	d->npu = !d->variable && (d->step.n || job->gres);
	if (d->npu && !job_is_stale(job, s->lookup(s->arg, "DIST_TRAIN_STEP")))
		d->npus_visible = copy_of(s, DEVICE_VARIABLE_ASCEND);
	if (!d->step.n && !d->variable && job->gres)
		return gres_of_node(job->gres, job->node_name, &d->step, err);
	return 0;
}

static int read_devices(const struct source *s, const struct job *job,
			struct device_facts *d, struct err *err)
{
	if (read_index(s, HANDOVER_GPUS, &d->step) < 0 ||
	    read_index(s, "SLURM_STEP_GPUS", &d->task) < 0)
		return err_printf(err, "SLURM_STEP_GPUS isn't a list of "
				       "device indices");
	if (read_visible(s, d, err) < 0)
		return -1;
	return read_npus(s, job, d, err);
}

int job_take_gres(struct job *job, env_lookup_fn lookup, void *arg,
		  struct err *err)
{
	const struct source s = {.lookup = lookup, .arg = arg};

	return read_npus(&s, job, &job->devices, err);
}

/* A world of a step with roles. */
static void read_world(const struct source *s, struct job *job)
{
	const char *text = s->lookup(s->arg, HANDOVER_WORLD);
	unsigned long n;

	if (text && digits_read(&text, INT_MAX, &n) == 0 && *text == ' ') {
		job->begun = (unsigned)n;
		job->world = strdup(text + 1);
	}
}

static int read_profile(const struct source *s, struct profile *ret,
			struct err *err)
{
	const char *text = s->lookup(s->arg, HANDOVER_PROFILE);

	return text ? profile_parse("profile", text, ret, err) : 0;
}

/* As srun or exec has handed it over. */
static bool is_by_slurm(const struct source *s)
{
	struct auth auth;

	auth_handed(s->lookup(s->arg, HANDOVER_SECRET), &auth);
	return auth.by_slurm;
}

int job_read(env_lookup_fn lookup, void *arg, bool het, struct job *ret,
	     struct err *err)
{
	struct source s = {.lookup = lookup, .arg = arg};
	struct job job = {.het = het};

	*ret = job;
	if (read_identity(&s, &job, err) < 0 ||
	    read_handover(&s, &job, err) < 0)
		return -1;
	read_component(&s, &job);
	job.unhooked = !s.handed_over && !job.het;
	job.keepers = is_set(&s, HANDOVER_KEEPERS);
	job.bound = are_bound(&s);
	job.task_prolog = is_set(&s, HANDOVER_PROLOG);
	job.by_slurm = is_by_slurm(&s);
	job.cpus_per_task = read_hint(&s, "SLURM_CPUS_PER_TASK");
	job.cpus_on_node = read_hint(&s, "SLURM_CPUS_ON_NODE");
	for (size_t i = 0; i < JOB_NFIELDS; i++)
		if (s.handed_over || !job_fields[i].step)
			*job_field(&job, &job_fields[i]) =
				copy_of(&s, job_fields[i].variable);
	read_world(&s, &job);
	if (!job.rank0_node)
		job.rank0_node = first_node(&s);
	if (!job.node_name) {
		err_printf(err, "SLURMD_NODENAME isn't set");
	} else if (read_profile(&s, &job.profile, err) == 0 &&
		   read_devices(&s, &job, &job.devices, err) == 0) {
		*ret = job;
		return 0;
	}
	job_clear(&job);
	return -1;
}

const char *job_step(const struct job *job, char buf[JOB_STEP_SIZE])
{
	snprintf(buf, JOB_STEP_SIZE, "%lu.%lu.%u", job->job_id, job->step_id,
		 job->restart);
	return buf;
}

bool job_is_stale(const struct job *job, const char *found)
{
	char step[JOB_STEP_SIZE];

	return found && strcmp(found, ENV_PLUGIN_MISSING) != 0 &&
	       strcmp(found, job_step(job, step)) != 0;
}

bool job_one_task_per_node(const struct job *job)
{
	return job->ntasks == job->nnodes && job->local_ntasks == 1;
}

const struct job *job_of_nodes(const struct job *job, unsigned node_rank,
			       struct job_of_nodes *ret)
{
	ret->job = *job;
	ret->job.ntasks = job->nnodes;
	ret->job.procid = node_rank;
	ret->job.localid = 0;
	ret->job.local_ntasks = 1;
	snprintf(ret->tasks, sizeof(ret->tasks), "1(x%u)", job->nnodes);
	ret->job.tasks = ret->tasks;
	ret->job.taskmap = NULL;
	return &ret->job;
}

void job_clear(struct job *job)
{
	for (size_t i = 0; i < JOB_NFIELDS; i++)
		free(*job_field(job, &job_fields[i]));
	profile_clear(&job->profile);
	device_clear(&job->devices);
	*job = (struct job){0};
}
