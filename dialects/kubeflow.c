/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kubeflow's training operator: what its controllers put into the pods of a
 * PyTorchJob, TFJob, MPIJob, JAXJob and PaddleJob (pkg/controller.v1/,
 * release 1.9). A pod is a process here; where the script in the pod starts
 * several workers (torchrun, paddle.distributed.launch), it is a node.
 */
#include "core/plan/dialect.h"

#include "core/base/ip.h"
#include "core/plan/procmap.h"

static const char src[] = "dialect kubeflow";

static int unbuffered(struct envset *set, struct err *err)
{
	return envset_add(set, ENV_HINT, src, err, "PYTHONUNBUFFERED", "1");
}

/* RANK is the pod's, WORLD_SIZE counts workers. */
static int pytorch(const struct plan *plan, const struct process *p,
		   unsigned workers, struct envset *set, struct err *err)
{
	const struct coordinator *c = &plan->coordinator;
	const char *port_source = coordinator_port_source(c);
	const struct env_row rows[] = {
		{ENV_FACT, "MASTER_ADDR", c->addr_source, .text = c->addr},
		{ENV_FACT, "MASTER_PORT", port_source, .n = c->port},
		{ENV_WORLD, "WORLD_SIZE", src,
		 .n = (unsigned long)plan->world_size * workers},
		{ENV_WORLD, "RANK", src, .n = p->rank},
		{ENV_FACT, "PET_NNODES", src, .n = plan->world_size},
		{ENV_WORLD, "PET_NODE_RANK", src, .n = p->rank},
		{ENV_HINT, "PET_NPROC_PER_NODE", src, .n = workers},
		{ENV_FACT, "PET_MASTER_ADDR", c->addr_source, .text = c->addr},
		{ENV_FACT, "PET_MASTER_PORT", port_source, .n = c->port},
	};

	return unbuffered(set, err) < 0 ? -1 : ENVSET_ADD(set, rows, err);
}

static int ddp(const struct plan *plan, const struct process *p,
	       struct envset *set, struct err *err)
{
	return pytorch(plan, p, 1, set, err);
}

static int torchrun(const struct plan *plan, const struct process *p,
		    struct envset *set, struct err *err)
{
	return pytorch(plan, p, hostfile_own_slots(plan), set, err);
}

static int tensorflow(const struct plan *plan, const struct process *p,
		      struct envset *set, struct err *err)
{
	(void)plan;
	(void)p;
	return unbuffered(set, err);
}

static int jax(const struct plan *plan, const struct process *p,
	       struct envset *set, struct err *err)
{
	const struct coordinator *c = &plan->coordinator;
	const struct env_row rows[] = {
		{ENV_FACT, "COORDINATOR_ADDRESS", c->addr_source,
		 .text = c->addr},
		{ENV_FACT, "COORDINATOR_PORT", coordinator_port_source(c),
		 .n = c->port},
		{ENV_WORLD, "NUM_PROCESSES", src, .n = plan->world_size},
		{ENV_WORLD, "PROCESS_ID", src, .n = p->rank},
	};

	return unbuffered(set, err) < 0 ? -1 : ENVSET_ADD(set, rows, err);
}

/* The launcher in the pod gives these to its workers. Of the devices it takes
 * those that it sees. */
static const char *const paddle_workers_own[] = {
	"PADDLE_TRAINER_ID",
	"PADDLE_TRAINERS_NUM",
	"PADDLE_RANK_IN_NODE",
	"PADDLE_LOCAL_SIZE",
	"PADDLE_GLOBAL_RANK",
	"PADDLE_GLOBAL_SIZE",
	"PADDLE_LOCAL_RANK",
	"MASTER_ADDR",
	"MASTER_PORT",
	"FLAGS_selected_gpus",
	"FLAGS_selected_npus",
	"PADDLE_TRAINER_ENDPOINTS",
	NULL,
};

static int paddle(const struct plan *plan, const struct process *p,
		  struct envset *set, struct err *err)
{
	const struct coordinator *c = &plan->coordinator;
	const struct job *job = plan->job;
	char master[ENDPOINT_SIZE];

	(void)p;
	if (unbuffered(set, err) < 0 ||
	    envset_add(set, ENV_FACT, c->addr_source, err, "PADDLE_MASTER",
		       "%s", endpoint_format(c->addr, c->port, master)) < 0 ||
	    envset_add(set, ENV_FACT, src, err, "PADDLE_NNODES", "%u",
		       plan->nnodes) < 0 ||
	    envset_add(set, ENV_HINT, "job, step, requeues", err,
		       "PADDLE_JOB_ID", "%lu-%lu-%u", job->job_id, job->step_id,
		       job->restart) < 0 ||
	    envset_unset(set, ENV_FACT, src, err, "PADDLE_CURRENT_ENDPOINT") <
		    0)
		return -1;
	return envset_unset_all(set, ENV_FACT,
				"Paddle's launcher sets it itself", err,
				paddle_workers_own);
}

/* What mpi-operator adds to the launcher's pod besides the host file and the
 * way to the workers. */
static int mpijob(const struct plan *plan, const struct process *p,
		  struct envset *set, struct err *err)
{
	unsigned slots = hostfile_own_slots(plan);
	const struct env_row rows[] = {
		{ENV_HINT, "OMPI_MCA_orte_keep_fqdn_hostnames", src,
		 .text = "true"},
		{ENV_HINT, "OMPI_MCA_orte_set_default_slots", src, .n = slots},
		{ENV_HINT, "I_MPI_PERHOST", src, .n = slots},
	};

	(void)p;
	return ENVSET_ADD(set, rows, err);
}

static const struct dialect_form forms[] = {
	{.framework = "ddp", .platform = "PyTorchJob", .env = ddp},
	{.framework = "torchrun", .platform = "PyTorchJob", .env = torchrun},
	{.framework = "tf",
	 .platform = "TFJob",
	 .tf_environment = "cloud",
	 .env = tensorflow},
	{.framework = "tf-ps",
	 .platform = "TFJob",
	 .tf_environment = "cloud",
	 .env = tensorflow},
	{.framework = "jax", .platform = "JAXJob", .env = jax},
	{.framework = "paddle",
	 .platform = "PaddleJob",
	 .launches = true,
	 .env = paddle},
	{.framework = "xgboost", .platform = "TrainJob", .env = tensorflow},
	{.framework = "mpi",
	 .platform = "MPIJob",
	 .needs = NEEDS_HOST_FILE,
	 .first_node = true,
	 .env = mpijob},
	{.framework = "horovod",
	 .platform = "MPIJob",
	 .needs = NEEDS_HOST_FILE,
	 .first_node = true,
	 .env = mpijob},
	{0},
};

const struct dialect dialect_kubeflow = {
	.name = "kubeflow",
	.summary = "Kubeflow's training operator: PyTorchJob, TFJob, MPIJob, "
		   "JAXJob, PaddleJob",
	.form = forms,
};
