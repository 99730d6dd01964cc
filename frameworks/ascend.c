/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ascend NPUs and their collective library HCCL: with a rank table, which the
 * launcher makes before any process starts, or without one (table=none), when
 * the library's processes find each other at a chief. One family of variables
 * only: a process that has both uses neither. And the variables of ddp for
 * torch_npu.
 *
 * Names and rules: the TensorFlow adapter's docs/en/tfa_env, HCCL's
 * hccl_env guide, and externalinput.cc of its source.
 */
#include "frameworks/shared.h"

#define CONNECT_TIMEOUT_S                                                      \
	1200 /* the library's default is too short when ranks start at         \
		different times */

static const char *const table_family[] = {
	"RANK_TABLE_FILE",
	"RANK_ID",
	"RANK_SIZE",
	NULL,
};

static const char *const chief_family[] = {
	"CM_CHIEF_IP",	"CM_CHIEF_PORT",  "CM_CHIEF_DEVICE",
	"CM_WORKER_IP", "CM_WORKER_SIZE", NULL,
};

int ascend_table_env(const struct plan *plan, const struct process *p,
		     struct envset *set, struct err *err)
{
	const char *table = plan->rank_table;

	if (envset_add(set, ENV_FACT, "made by the launcher", err,
		       "RANK_TABLE_FILE", "%s",
		       table ? table : ENV_LATER) < 0 ||
	    envset_add(set, ENV_WORLD, "computed", err, "RANK_ID", "%u",
		       p->rank) < 0 ||
	    envset_add(set, ENV_WORLD, "computed", err, "RANK_SIZE", "%u",
		       plan->world_size) < 0)
		return -1;
	return envset_unset_all(set, ENV_STEPS, "a rank table is used", err,
				chief_family);
}

/* The chief is the first process of the first node, which sees its device
 * under the same number in every layout: the first of the step's. */
static int with_chief(const struct plan *plan, struct envset *set,
		      struct err *err)
{
	const struct coordinator *c = &plan->coordinator;
	const char *own = plan->job->own_addr;

	if (plan->node_rank == 0)
		own = c->addr;
	if (envset_add(set, ENV_STEPS, c->addr_source, err, "CM_CHIEF_IP", "%s",
		       c->addr) < 0 ||
	    envset_add(set, ENV_STEPS, coordinator_port_source(c), err,
		       "CM_CHIEF_PORT", "%u", c->port) < 0 ||
	    envset_add(set, ENV_STEPS, "computed", err, "CM_CHIEF_DEVICE",
		       "0") < 0 ||
	    envset_add(set, ENV_STEPS, "computed", err, "CM_WORKER_SIZE", "%u",
		       plan->world_size) < 0)
		return -1;
	if (own && envset_add(set, ENV_STEPS, "routes to rank 0", err,
			      "CM_WORKER_IP", "%s", own) < 0)
		return -1;
	return envset_unset_all(set, ENV_STEPS, "no rank table is used", err,
				table_family);
}

unsigned ascend_device_seen(const struct process *p)
{
	return p->devices.own.n ? p->devices.own.id[0] : 0;
}

static int devices(const struct process *p, struct envset *set, struct err *err)
{
	if (envset_add(set, ENV_FACT, "among the devices that it sees", err,
		       "ASCEND_DEVICE_ID", "%u", ascend_device_seen(p)) < 0)
		return -1;
	return envset_add(set, ENV_FACT, "/dev/davinciN", err, "DEVICE_ID",
			  "%u", p->npu);
}

/* Names of Huawei's model collections, which their scripts export by hand. As
 * hints: a program that finds none of them trains alone (DEVICE_NUM), takes NPU
 * 0 in each process (NPU_CALCULATE_DEVICE), or raises. Read by, for example:
 * mindspore-ai/models official/cv/SwinTransformer/src/tools/get_misc.py,
 * Ascend/ModelZoo-PyTorch .../nlp/Transformer_ID0105_for_PyTorch/train_8p.py,
 * Ascend/ModelZoo-TensorFlow .../AlexNet_ID0072_for_TensorFlow/alexnet.
 */
static int model_collections(const struct plan *plan, const struct process *p,
			     struct envset *set, struct err *err)
{
	static const char src[] = "for Huawei's model collections";

	if (envset_add(set, ENV_HINT, src, err, "DEVICE_NUM", "%u",
		       plan->world_size) < 0 ||
	    envset_add(set, ENV_HINT, src, err, "DEVICE_INDEX", "%u", p->rank) <
		    0 ||
	    envset_add(set, ENV_HINT, src, err, "RANK_INDEX", "%u",
		       plan->node_rank) < 0 ||
	    envset_add(set, ENV_HINT, src, err, "NPU_CALCULATE_DEVICE", "%u",
		       ascend_device_seen(p)) < 0)
		return -1;
	return envset_add(set, ENV_HINT, src, err, "NPU_WORLD_SIZE", "%u",
			  plan->world_size);
}

/* Letters, digits, '-' and '_' are allowed, so not our own name of the step. */
static int job_name(const struct job *job, struct envset *set, struct err *err)
{
	return envset_add(set, ENV_HINT, "job, step, requeues", err, "JOB_ID",
			  "%lu-%lu-%u", job->job_id, job->step_id,
			  job->restart);
}

static int library(const struct plan *plan, struct envset *set, struct err *err)
{
	const char *own = plan->job->own_addr;

	if (envset_add(set, ENV_HINT, "ranks may start at different times", err,
		       "HCCL_CONNECT_TIMEOUT", "%d", CONNECT_TIMEOUT_S) < 0)
		return -1;
	if (own && envset_add(set, ENV_HINT, "routes to rank 0", err,
			      "HCCL_IF_IP", "%s", own) < 0)
		return -1;
	if (!plan->hccl_base_port)
		return 0;
	return envset_add(set, ENV_HINT, "derived from job and step", err,
			  "HCCL_IF_BASE_PORT", "%u", plan->hccl_base_port);
}

int ascend_common_env(const struct plan *plan, const struct process *p,
		      struct envset *set, struct err *err)
{
	if (ddp_env(plan, p, set, err) < 0 || devices(p, set, err) < 0 ||
	    model_collections(plan, p, set, err) < 0 ||
	    job_name(plan->job, set, err) < 0)
		return -1;
	return library(plan, set, err);
}

static int ascend_env(const struct plan *plan, const struct process *p,
		      struct envset *set, struct err *err)
{
	if (ascend_common_env(plan, p, set, err) < 0)
		return -1;
	return plan->resolved.chief ? with_chief(plan, set, err)
				    : ascend_table_env(plan, p, set, err);
}

int ascend_check_numbers(const struct plan *plan, struct err *err)
{
	const struct device_facts *d = &plan->job->devices;

	if (plan->resolved.visible == VISIBLE_ONE)
		return err_printf(
			err,
			"visible=one: without a rank table the library "
			"distinguishes the processes of a node by the index "
			"under which each sees its device; remove visible=one");
	if (d->task.n && d->task.n < d->step.n)
		return err_printf(err,
				  "table=none: Slurm shows each task only its "
				  "own devices, but without a rank table each "
				  "must see all devices of the node; remove "
				  "--gpus-per-task and --gpu-bind");
	return 0;
}

/* The library takes IP addresses of the hosts' own interfaces, and tells the
 * processes of a node apart by the number of the device that each sees. */
static int check_chief(const struct plan *plan, struct err *err)
{
	const struct request *r = plan->request;
	const struct device_facts *d = &plan->job->devices;

	if (request_word(r, KEY_ADDR) == ADDR_NAME)
		return err_printf(
			err, "addr=name: without a rank table the library "
			     "needs the first node's IP address; use addr=ip");
	if (request_word(r, KEY_NIC) == NIC_OFF && plan->nnodes > 1)
		return err_printf(
			err,
			"nic=off: without a rank table the library needs each "
			"node's own address; use nic=auto or nic=IFACE");
	if (ascend_check_numbers(plan, err) < 0)
		return -1;
	if (d->step.n && d->step.n < plan->nodes_procs)
		return err_printf(err,
				  "node %s: the step has %u NPUs for %u "
				  "processes; two processes can't share one",
				  plan->job->node_name, d->step.n,
				  plan->nodes_procs);
	return 0;
}

static int ascend_check(const struct plan *plan, struct err *err)
{
	if (plan->resolved.table_version == TABLE_2_0)
		return err_printf(
			err, "table=2.0: this version describes links that "
			     "only the driver of an A5 knows; on an A5 the "
			     "library needs no table: use --dist-train=ddp");
	return plan->resolved.chief ? check_chief(plan, err) : 0;
}

const struct framework framework_ascend = {
	.name = "ascend",
	.summary = "Ascend NPUs: a rank table for HCCL, one process per NPU",
	.tested = "a simulated driver; no Ascend hardware",
	.needs = NEEDS_COORDINATOR | NEEDS_DEVICES | NEEDS_NIC |
		 NEEDS_ERROR_FILE | NEEDS_NPU_ADDRESSES,
	.npu = true,
	.role = ROLE_WORKER,
	.local_rank = true,
	.check = ascend_check,
	.env = ascend_env,
};
