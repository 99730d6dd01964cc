/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/ranktable/exchange.h"

#include "core/ascend/ranktable_row.h"
#include "core/base/ip.h"
#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

#define MARGIN_S 5

/* Below the limit for the exchange, which would name the node and not the
 * cause. */
static unsigned driver_timeout(const struct request *request)
{
	long timeout_s = request_seconds(request, KEY_TIMEOUT);

	return timeout_s > 2 * MARGIN_S ? (unsigned)(timeout_s - MARGIN_S)
					: (unsigned)(timeout_s + 1) / 2;
}

int rows_question_fill(struct rows_question *ret, const struct plan *plan,
		       const struct config *config,
		       const struct rows_wanted *wanted, int hccn_fd,
		       struct err *err)
{
	const struct job *job = plan->job;
	const char *address =
		job->nnodes == 1 ? job->rank0_addr : job->own_addr;

	*ret = (struct rows_question){
		.driver = {.root = devinfo_root(),
			   .from = (enum devinfo_from)request_word(
				   plan->request, KEY_DEVICES_FROM),
			   .inventory = config->inventory,
			   .hccn_conf_fd = hccn_fd,
			   .timeout_s = driver_timeout(plan->request),
			   .nservers = plan->nnodes,
			   .told = job->localid > 0},
		.wanted = *wanted,
		.node = strdup(job->node_name),
		.address = address ? strdup(address) : NULL,
		.warns = plan->world_size > 1,
	};
	ret->driver.node = ret->node;
	if (ret->node && (!address || ret->address))
		return 0;
	rows_question_clear(ret);
	return err_memory(err);
}

void rows_question_clear(struct rows_question *question)
{
	free(question->node);
	free(question->address);
	*question = (struct rows_question){0};
}

/* The library wants one family; where a device has both, IPv4. */
static void join_addresses(const struct npu *npu, char *buf, size_t size)
{
	bool v4 = false;

	for (unsigned i = 0; i < npu->naddrs; i++)
		v4 |= !strchr(npu->addr[i], ':');
	*buf = '\0';
	for (unsigned i = 0; i < npu->naddrs; i++)
		if (!v4 || !strchr(npu->addr[i], ':'))
			text_add(buf, size, ",", "%s", npu->addr[i]);
}

/* The library takes any text as server_id; MindIE, Paddle and MindSpore's
 * documents want the node's address. */
static const char *name_server(const char *node, const char *address)
{
	struct ip ip;

	return address && ip_parse(address, strlen(address), &ip) == 0 ? address
								       : node;
}

static int put_row(void *arg, unsigned rank, const char *node,
		   const char *address, const struct npu *npu, struct err *err)
{
	char line[RANKTABLE_LINE_MAX], ips[NPU_ADDRS_MAX * IP_TEXT_SIZE];
	struct ranktable_row row = {
		.rank = rank,
		.device_id = npu->phy_id,
		.chip = npu->chip,
		.has_super_device = npu->sdid_from != NPU_FROM_NOWHERE,
		.super_device_id = (uint32_t)npu->sdid,
		.node = node,
		.server_id = name_server(node, address),
		.super_pod_id = npu->pod_from ? npu->pod : NULL,
	};

	join_addresses(npu, ips, sizeof(ips));
	row.device_ip = *ips ? ips : NULL;
	if (ranktable_row_format(&row, line, sizeof(line), err) < 0)
		return -1;
	fprintf(arg, "%s\n", line);
	return 0;
}

static int put_rows(const struct rows_question *q, const struct npu *npu,
		    FILE *rows, struct err *err)
{
	for (unsigned i = 0; i < q->wanted.npu.n; i++)
		if (put_row(rows, q->wanted.rank[i], q->node, q->address,
			    &npu[i], err) < 0)
			return -1;
	return 0;
}

static int ask_driver(const struct rows_question *q, const struct plan *whole,
		      FILE *warnings, FILE *rows, struct err *err)
{
	struct devinfo_options o = q->driver;
	struct npu npu[IDLIST_MAX];
	int rc;

	o.warnings = q->warns ? warnings : NULL;
	rc = devinfo_read(&o, &q->wanted.npu, npu, err);
	if (rc != 0)
		return rc;
	if (!whole)
		return put_rows(q, npu, rows, err);
	return table_from_inventory(
		whole, &o,
		&(struct own_npus){q->wanted.npu.n, q->wanted.rank, npu},
		put_row, rows, err);
}

int rows_question_ask(const struct rows_question *q, const struct plan *whole,
		      FILE *rows, struct err *err)
{
	char *text = NULL;
	size_t size;
	FILE *warnings = open_memstream(&text, &size);
	int rc;

	if (!warnings)
		return err_memory(err);
	rc = ask_driver(q, whole, warnings, rows, err);
	if (fclose(warnings) == 0 && rc == 0)
		fputs(text, stderr); /* an error says the same, and more */
	free(text);
	return rc;
}

bool rows_wanted_first_tells(const struct plan *plan)
{
	const struct job *job = plan->job;
	const struct device_facts *d = &job->devices;
	bool alike = !d->variable && (!d->task.n || d->task.n == d->step.n);

	if (plan->resolved.node_launcher)
		return true; /* nobody else is here to tell them */
	return alike && !job->bound && job->local_ntasks > 1 &&
	       !plan->resolved.device_mode && !plan->resolved.recovery &&
	       !getenv("SLURM_HET_SIZE");
}

static unsigned first_number(const struct plan *plan)
{
	if (!plan->resolved.recovery)
		return plan->first_rank;
	return plan->resolved.device_mode ? 0 : plan->job->localid;
}

void rows_wanted_own(const struct plan *plan, const struct npu_task *task,
		     struct rows_wanted *ret)
{
	ret->npu = task->own;
	for (unsigned i = 0; i < task->own.n; i++)
		ret->rank[i] = first_number(plan) + i;
}

/* The one device of another task of this node, and its rank. */
static int add_task(const struct plan *plan, const struct config *config,
		    unsigned localid, const struct npu_nodes *nodes,
		    struct rows_wanted *ret, struct err *err)
{
	struct node_task its;
	struct npu_task task;

	if (node_task_make(plan, config, localid, &its, err) < 0 ||
	    npu_task_find_among(&its.plan, nodes, &task, err) < 0)
		return -1;
	ret->rank[ret->npu.n] = its.plan.first_rank;
	ret->npu.id[ret->npu.n++] = task.own.id[0];
	return 0;
}

int rows_wanted_of_node(const struct plan *plan, const struct config *config,
			struct rows_wanted *ret, struct err *err)
{
	unsigned n = plan->job->local_ntasks;
	struct npu_nodes nodes;

	ret->npu.n = 0;
	if (n > IDLIST_MAX)
		return err_printf(err,
				  "node %s has %u tasks, and the rank table "
				  "takes %d NPUs of a node",
				  plan->job->node_name, n, IDLIST_MAX);
	if (devinfo_nodes(devinfo_root(), &nodes, err) < 0)
		return -1;
	for (unsigned i = 0; i < n; i++)
		if (add_task(plan, config, i, &nodes, ret, err) < 0)
			return -1;
	return 0;
}
