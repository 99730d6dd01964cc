/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/plan.h"

#include "core/base/parse.h"
#include "core/base/runlength.h"
#include "core/facts/places.h"
#include "core/plan/dialect.h"
#include "core/plan/framework.h"

#include <limits.h>
#include <stdlib.h>

static int refuse_layout(const char *what, const struct job *job,
			 struct err *err)
{
	return err_printf(
		err,
		"%s needs one task per node, but this step has %u on %u "
		"nodes; use --ntasks-per-node=1",
		what, job->ntasks, job->nnodes);
}

static int plan_task_mode(struct plan *p, const struct job *job,
			  struct err *err)
{
	struct runlength counts;

	p->nprocs = 1;
	p->first_rank = job->procid;
	p->world_size = job->ntasks;
	p->nodes_procs = job->local_ntasks;
	p->node_rank = job->nodeid;
	p->uniform = job->local_ntasks * job->nnodes == job->ntasks;
	p->nports = job->local_ntasks;
	if (job->tasks && runlength_read(job->tasks, &counts) == 0 &&
	    counts.max) {
		p->nports = counts.max;
		if (counts.n == job->nnodes)
			p->uniform = counts.uniform;
	}
	return p->request->framework->roles ? plan_roles_of_tasks(p, err) : 0;
}

/* A heterogeneous step in which the launchers know of each other. */
static int plan_dealt(struct plan *p, const struct job *job, struct err *err)
{
	struct runlength by_task, by_node;
	unsigned long before;
	char shown[SHOW_SIZE];

	if (runlength_read_at(job->procs, job->procid, &by_task, &p->nprocs,
			      &before) < 0 ||
	    by_task.n != job->ntasks ||
	    runlength_read(job->node_procs, &by_node) < 0)
		return err_printf(err,
				  "no number of processes for task %u in "
				  "%s",
				  job->procid, show(shown, job->procs));
	p->first_rank = (unsigned)before;
	p->world_size = (unsigned)by_task.total;
	p->nodes_procs = job->local_ntasks > 1 ? job->local_ntasks : p->nprocs;
	p->node_rank = job->nodeid;
	p->uniform = by_node.uniform;
	p->nports = by_node.max;
	return 0;
}

static int check_own_count(const struct job *job, unsigned planned,
			   struct err *err)
{
	unsigned found = device_count(&job->devices);

	/* A node isn't told of accelerators that Slurm has no plugin for. */
	if (!found || found == planned)
		return 0;
	return err_printf(err,
			  "Slurm gave this step %u devices on node %s, but "
			  "its controller counts %u; procs=N starts N "
			  "processes per node in any case",
			  found, job->node_name, planned);
}

/* srun counts, but for one component of a heterogeneous step alone. */
static int refuse_uncounted(const struct job *job, struct err *err)
{
	if (job->het || device_count(&job->devices))
		return err_printf(err, "procs=device: the number of devices on "
				       "the other nodes isn't known here; set "
				       "it with procs=N");
	return err_printf(err, "procs=device: Slurm has given this step no "
			       "devices; add --gpus-per-node=N, or use procs=N "
			       "for N processes per node");
}

static int plan_counted(struct plan *p, const struct job *job, struct err *err)
{
	char shown[SHOW_SIZE];
	struct runlength counts;
	unsigned long before;

	if (!job->procs)
		return refuse_uncounted(job, err);
	if (runlength_read_at(job->procs, job->procid, &counts, &p->nprocs,
			      &before) < 0 ||
	    counts.n != job->ntasks || job->procid >= job->ntasks ||
	    counts.total > INT_MAX)
		return err_printf(err,
				  "procs=device: no count for task %u in "
				  "%s",
				  job->procid, show(shown, job->procs));
	if (!counts.min)
		return err_printf(err,
				  "one process per device, but some node of "
				  "the step has none (devices by node: %s); "
				  "ask for them with --gpus-per-node=N, or use "
				  "procs=N or procs=task",
				  show(shown, job->procs));
	p->first_rank = (unsigned)before;
	p->world_size = (unsigned)counts.total;
	p->uniform = counts.uniform;
	p->nports = counts.max;
	return p->spare ? 0 : check_own_count(job, p->nprocs, err);
}

static int plan_device_mode(struct plan *p, const struct request *r,
			    const struct job *job, struct err *err)
{
	int procs = request_word(r, KEY_PROCS);
	long n = request_number(r, KEY_PROCS);

	if (!job_one_task_per_node(job))
		return refuse_layout(procs == PROCS_DEVICE ? "procs=device"
							   : "procs=N",
				     job, err);
	if (r->framework->roles) {
		if (plan_roles_of_nodes(p, err) < 0)
			return -1;
	} else if (procs == PROCS_N) {
		if ((unsigned long)n * job->ntasks > INT_MAX)
			return err_printf(err, "procs=%ld: too many processes",
					  n);
		p->nprocs = (unsigned)n;
		p->first_rank = job->procid * p->nprocs;
		p->world_size = job->ntasks * p->nprocs;
		p->uniform = true;
		p->nports = p->nprocs;
	} else if (plan_counted(p, job, err) < 0) {
		return -1;
	}
	p->nodes_procs = p->nprocs;
	p->node_rank = job->procid;
	return 0;
}

/* Whether the launcher stands between Slurm and the program. */
static void choose_launcher(struct plan *p, const struct request *r)
{
	const struct resolved *w = &p->resolved;

	/* Services have to be ended by somebody. */
	p->launcher = !w->no_launcher &&
		      (w->device_mode || p->serves || w->launcher_why ||
		       r->framework->roles ||
		       request_word(r, KEY_SUPERVISE) == SUPERVISE_YES);
	p->keeper = p->launcher && w->node_launcher && p->job->localid;
}

/* How many there are, and who starts them. */
static int plan_processes(struct plan *p, const struct request *r,
			  struct err *err)
{
	const struct job *job = p->job;
	int rc;

	if (p->resolved.launches && !job_one_task_per_node(job))
		return refuse_layout(r->framework->launches ? r->framework->name
							    : r->form->platform,
				     job, err);
	if (p->resolved.launches && !r->framework->launches)
		p->role = ROLE_LAUNCHER;
	if (job->dealt && !p->resolved.launches)
		rc = plan_dealt(p, job, err);
	else
		rc = p->resolved.device_mode ? plan_device_mode(p, r, job, err)
					     : plan_task_mode(p, job, err);
	if (rc < 0)
		return -1;
	p->serves =
		r->framework->service && r->framework->service(p, &p->service);
	if (request_check_plan(p, err) < 0)
		return -1;
	choose_launcher(p, r);
	return 0;
}

/* The plan of a node without a place: that of place 0 for what is the same on
 * all nodes, without its processes. */
static int plan_spare(struct plan *p, const struct request *r, struct err *err)
{
	const struct job *job = p->job;
	struct job first = *job;

	first.procid = first.nodeid = first.place = 0;
	p->spare = true;
	p->job = &first;
	if (plan_processes(p, r, err) < 0)
		return -1;
	p->job = job;
	p->nprocs = p->nodes_procs = 0;
	p->first_rank = p->world_size;
	p->node_rank = PLACE_NONE;
	return 0;
}

/* The ranks of log-tee are some of the step's. */
static int check_log_tee(const struct plan *p, struct err *err)
{
	const struct request *r = p->request;
	const char *list = request_text(r, KEY_LOG_TEE);

	if (p->job->component_tasks == p->job->ntasks)
		return 0; /* srun sees one component; the launchers all */
	while (list && *list && request_text(r, KEY_LOG_DIR)) {
		char *end;
		unsigned long rank = strtoul(list, &end, 10);

		if (rank >= p->world_size)
			return err_printf(err,
					  "log-tee=%lu: this step has ranks 0 "
					  "to %u",
					  rank, p->world_size - 1);
		list = *end ? end + 1 : end;
	}
	return 0;
}

/* With replica groups it is their service's, which stays where it is when they
 * start again, and each round has a second port, for the groups' own. */
static int choose_coordinator(struct plan *p, const struct config *config,
			      struct err *err)
{
	const struct request *r = p->request;
	struct job job = *p->job;

	if (!(p->resolved.needs & NEEDS_COORDINATOR))
		return 0;
	if (r->framework->worlds) {
		p->nports = 2;
		job.round = 0;
	}
	if (coordinator_choose(r, &p->resolved, config, &job, p->nports,
			       &p->coordinator, err) < 0)
		return -1;
	p->service_at = p->coordinator;
	return 0;
}

static int make_processes(struct plan *p, const struct request *r,
			  struct err *err)
{
	if (p->resolved.run_first)
		return plan_first(p, err);
	if (p->job->place == PLACE_NONE)
		return plan_spare(p, r, err);
	return plan_processes(p, r, err);
}

int plan_make(const struct request *request, const struct config *config,
	      const struct job *job, struct plan *ret, struct err *err)
{
	const struct framework *fw = request->framework;
	struct plan p = {
		.request = request,
		.job = job,
		.role = fw->role,
		.nnodes = job->nnodes,
	};
	const struct resolved *w = &p.resolved;

	resolve(request, job, &p.resolved);
	nic_choose(&p);
	if (make_processes(&p, request, err) < 0)
		return -1;
	if (!(w->needs & NEEDS_PROCMAP))
		p.nports = fw->nports ? fw->nports : 1;
	if (choose_coordinator(&p, config, err) < 0 ||
	    world_plan(&p, config, err) < 0)
		return -1;
	p.start_command = request->form ? request->form->start_command : NULL;
	p.needs_go = w->table || p.serves || p.start_command ||
		     w->address_is_told || w->recovery ||
		     w->check != CHECK_OFF || w->stages;
	if (w->npu)
		p.hccl_base_port =
			port_block(job->job_id, job->step_id, config->port_min,
				   config->port_max);
	if (w->recorders)
		p.ras_port = port_of_recorders(
			job->job_id, job->step_id, job->restart + job->round,
			config->port_min, config->port_max);
	if (check_log_tee(&p, err) < 0 ||
	    (!w->run_first && !p.spare && fw->check && fw->check(&p, err) < 0))
		return -1;
	*ret = p;
	return 0;
}

/* Entry `localid` of "0,1,2". */
static int find_number(const struct job *job, unsigned localid, unsigned *ret,
		       struct err *err)
{
	const char *text = job->gtids;
	unsigned long n = 0;

	for (unsigned i = 0; text && i <= localid; i++) {
		text += i && *text == ',';
		if (digits_read(&text, job->ntasks - 1UL, &n) < 0)
			text = NULL;
	}
	if (!text || (*text && *text != ','))
		return err_printf(err,
				  "SLURM_GTIDS has no task below %u for task "
				  "%u of node %s: '%.40s'",
				  job->ntasks, localid, job->node_name,
				  job->gtids ? job->gtids : "");
	*ret = (unsigned)n;
	return 0;
}

int node_task_make(const struct plan *plan, const struct config *config,
		   unsigned localid, struct node_task *ret, struct err *err)
{
	struct job *job = &ret->job;

	*job = *plan->job;
	job->localid = localid;
	/* In an order of our own a node's tasks follow each other. */
	if (plan->resolved.ordered)
		job->procid += localid - plan->job->localid;
	else if (find_number(plan->job, localid, &job->procid, err) < 0)
		return -1;
	return plan_make(plan->request, config, job, &ret->plan, err);
}
