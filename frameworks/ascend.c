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
	const struct env_row rows[] = {
		{ENV_FACT, "RANK_TABLE_FILE", "made by the launcher",
		 .text = table ? table : ENV_LATER},
		{ENV_WORLD, "RANK_ID", "computed", .n = p->rank},
		{ENV_WORLD, "RANK_SIZE", "computed", .n = plan->world_size},
	};

	if (ENVSET_ADD(set, rows, err) < 0)
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
	const char *own = plan->node_rank ? plan->job->own_addr : c->addr;
	const struct env_row rows[] = {
		{ENV_STEPS, "CM_CHIEF_IP", c->addr_source, .text = c->addr},
		{ENV_STEPS, "CM_CHIEF_PORT", coordinator_port_source(c),
		 .n = c->port},
		{ENV_STEPS, "CM_CHIEF_DEVICE", "computed", .n = 0},
		{ENV_STEPS, "CM_WORKER_SIZE", "computed",
		 .n = plan->world_size},
		{ENV_STEPS, own ? "CM_WORKER_IP" : NULL, "routes to rank 0",
		 .text = own},
	};

	if (ENVSET_ADD(set, rows, err) < 0)
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
	const struct env_row rows[] = {
		{ENV_HINT, "DEVICE_NUM", src, .n = plan->world_size},
		{ENV_HINT, "DEVICE_INDEX", src, .n = p->rank},
		{ENV_HINT, "RANK_INDEX", src, .n = plan->node_rank},
		{ENV_HINT, "NPU_CALCULATE_DEVICE", src,
		 .n = ascend_device_seen(p)},
		{ENV_HINT, "NPU_WORLD_SIZE", src, .n = plan->world_size},
	};

	return ENVSET_ADD(set, rows, err);
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
	unsigned port = plan->hccl_base_port;
	const struct env_row rows[] = {
		{ENV_HINT, "HCCL_CONNECT_TIMEOUT",
		 "ranks may start at different times", .n = CONNECT_TIMEOUT_S},
		{ENV_HINT, own ? "HCCL_IF_IP" : NULL, "routes to rank 0",
		 .text = own},
		{ENV_HINT, port ? "HCCL_IF_BASE_PORT" : NULL,
		 "derived from job and step", .n = port},
	};

	return ENVSET_ADD(set, rows, err);
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
