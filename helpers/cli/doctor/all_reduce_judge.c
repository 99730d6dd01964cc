/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/doctor/all_reduce.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The names of the checks: findings compare them by address. */
static const char check_all[] = "all-reduce";
static const char check_pairs[] = "pairs";
static const char check_network[] = "network";

/* A pair is slow below this part of the reference. Processors, which Gloo uses,
 * do other work too. */
#define SLOW_DEVICES	0.5
#define SLOW_PROCESSORS 0.33

static int by_rate(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Sorts them. */
static double median(double *rate, size_t n)
{
	if (!n)
		return 0;
	qsort(rate, n, sizeof(*rate), by_rate);
	return n % 2 ? rate[n / 2] : (rate[n / 2 - 1] + rate[n / 2]) / 2;
}

double all_reduce_median(const struct all_reduce *a)
{
	cleanup_free double *rate = calloc(a->npairs + 1, sizeof(*rate));

	for (size_t i = 0; rate && i < a->npairs; i++)
		rate[i] = a->pair[i].rate;
	return rate ? median(rate, a->npairs) : 0;
}

/* Of a node: its best pair, and how many pairs it has and how many are slow. */
struct of_node {
	double best;
	unsigned n, nslow;
};

/* What a pair should reach: the middle of the nodes' best ones, of nodes that
 * have a rate at all; 0: none has. The middle of all pairs is no measure: with
 * one bad node among four, half of them are slow. */
static double reference(const struct all_reduce *a, const struct doctor *d,
			struct of_node *nodes)
{
	cleanup_free double *best = calloc(d->nnodes, sizeof(*best));
	size_t n = 0;

	for (size_t i = 0; i < a->npairs; i++)
		for (int k = 0; k < 2; k++) {
			struct of_node *node = &nodes[a->pair[i].node[k]];

			node->n++;
			if (a->pair[i].rate > node->best)
				node->best = a->pair[i].rate;
		}
	for (unsigned i = 0; best && i < d->nnodes; i++)
		if (nodes[i].best > 0)
			best[n++] = nodes[i].best;
	return best ? median(best, n) : 0;
}

static bool is_slow(const struct all_reduce *a, double rate, double usual)
{
	return rate <= 0 || rate < usual * (strcmp(a->backend, "gloo") != 0
						    ? SLOW_DEVICES
						    : SLOW_PROCESSORS);
}

static bool all_slow(const struct of_node *node)
{
	return node->n > 1 && node->nslow == node->n;
}

static void judge_slow(struct doctor *d, const struct all_reduce *a,
		       const struct of_node *nodes, double usual)
{
	static const char remedy[] =
		"check cables, ports and rate of that node (the check rdma, "
		"ethtool, mlxlink), and what else uses its network; leave it "
		"out with srun --exclude";

	for (unsigned i = 0; i < d->nnodes; i++)
		if (all_slow(&nodes[i]))
			doctor_find(d, DOCTOR_WARN, check_pairs, i, remedy,
				    "slow with every other node: at most %.3g "
				    "GB/s, others reach %.3g",
				    nodes[i].best / 1e9, usual / 1e9);
	for (size_t i = 0; i < a->npairs; i++) {
		const struct all_reduce_pair *p = &a->pair[i];

		if (!is_slow(a, p->rate, usual) ||
		    all_slow(&nodes[p->node[0]]) ||
		    all_slow(&nodes[p->node[1]]))
			continue;
		doctor_find(d, DOCTOR_WARN, check_pairs, p->node[0],
			    "check the switches between these two nodes",
			    "slow with %s: %.3g GB/s, other pairs reach %.3g",
			    d->node[p->node[1]], p->rate / 1e9, usual / 1e9);
	}
}

/* Without a figure nothing can be said of any node. */
static void judge_unmeasured(struct doctor *d, const struct all_reduce *a)
{
	static const char remedy[] =
		"--timeout=SECONDS waits longer; dist-train doctor --pairs "
		"measures without PyTorch";

	for (unsigned i = 0; d->nnodes > 1 && i < d->nnodes; i++)
		if (a->npairs)
			doctor_find(d, DOCTOR_FAIL, check_pairs, i, remedy,
				    "no pair of nodes has a rate");
		else
			doctor_find(d, DOCTOR_WARN, check_pairs, i, remedy,
				    "no pair of nodes was measured");
}

static int judge_pairs(struct doctor *d, const struct all_reduce *a,
		       struct err *err)
{
	cleanup_free struct of_node *nodes = calloc(d->nnodes, sizeof(*nodes));
	bool slow = false;
	double usual;

	if (!nodes)
		return err_memory(err);
	usual = reference(a, d, nodes);
	if (usual <= 0) {
		judge_unmeasured(d, a);
		return 0;
	}
	for (size_t i = 0; i < a->npairs; i++)
		if (is_slow(a, a->pair[i].rate, usual)) {
			nodes[a->pair[i].node[0]].nslow++;
			nodes[a->pair[i].node[1]].nslow++;
			slow = true;
		}
	if (slow)
		judge_slow(d, a, nodes, usual);
	for (unsigned i = 0; !slow && i < d->nnodes; i++)
		if (nodes[i].n)
			doctor_find(d, DOCTOR_OK, check_pairs, i, "",
				    "no pair of nodes is far slower than the "
				    "others (%.3g GB/s)",
				    usual / 1e9);
	return 0;
}

/* Whether a node has a port for RDMA that works. */
static bool has_rdma(const struct doctor *d)
{
	for (unsigned i = 0; i < d->nnodes; i++) {
		const char *ports = doctor_fact(d, i, "rdma");

		if (ports && strstr(ports, "=ACTIVE,"))
			return true;
	}
	return false;
}

static void judge_network(struct doctor *d, const struct all_reduce *a,
			  const struct all_reduce_network *n)
{
	if (strcmp(a->backend, "nccl") != 0)
		return;
	if (strstr(n->name, "Socket") && has_rdma(d))
		doctor_find(d, DOCTOR_WARN, check_network, 0,
			    "check /dev/infiniband, the memlock limit, "
			    "NCCL_IB_DISABLE and NCCL_IB_HCA; in a container "
			    "libibverbs must be there",
			    "NCCL took TCP (NET/%s) on %u ranks, though the "
			    "nodes have active InfiniBand or RoCE ports",
			    n->name, n->nranks);
	else if (strstr(n->name, "IB") && n->ndirect < n->nchannels)
		doctor_find(d, DOCTOR_WARN, check_network, 0,
			    "modprobe nvidia_peermem, or the driver's open "
			    "kernel modules; see NCCL_NET_GDR_LEVEL",
			    "%u of %u channels between nodes go without "
			    "GPUDirect RDMA",
			    n->nchannels - n->ndirect, n->nchannels);
	else if (n->nchannels)
		doctor_find(d, DOCTOR_OK, check_network, 0, "",
			    "NCCL took %s%s: %s", n->name,
			    n->ndirect ? " with GPUDirect RDMA" : "",
			    n->devices);
}

static bool ends_word(char c)
{
	return !isalnum((unsigned char)c) && c != '-' && c != '_';
}

/* Where the text names that node; or NULL. */
static const char *find_name(const char *text, const char *name)
{
	size_t len = strlen(name);
	const char *at = text;

	for (; (at = strstr(at, name)); at++)
		if ((at == text || ends_word(at[-1])) && ends_word(at[len]))
			return at;
	return NULL;
}

/* "node3: why", "rank 3 (worker) on node2, pid 4711: exit code 1": about that
 * node; else about the first. */
static void judge_error(struct doctor *d, const struct all_reduce *a)
{
	const char *text = a->error, *at = NULL;
	unsigned node = 0;

	for (unsigned i = 0; i < d->nnodes && !at; i++)
		if ((at = find_name(text, d->node[i])))
			node = i;
	if (at == text && !strncmp(at + strlen(d->node[node]), ": ", 2))
		text += strlen(d->node[node]) + 2;
	doctor_find(d, DOCTOR_FAIL, check_all, node,
		    "--python=FILE says whose PyTorch to take, --timeout how "
		    "long to wait; look at the failures above first",
		    "%s", text);
}

int all_reduce_judge(struct doctor *d, const struct all_reduce *a,
		     struct err *err)
{
	const struct all_reduce_size *largest;

	if (*a->error) {
		judge_error(d, a);
		return d->no_memory ? err_memory(err) : 0;
	}
	largest = &a->size[a->nsizes - 1];
	for (unsigned i = 0; i < d->nnodes; i++)
		doctor_find(d, DOCTOR_OK, check_all, i, "",
			    "%u rank%s, %s, PyTorch %s: %.3g GB/s bus "
			    "bandwidth with %.4g MiB",
			    a->world_size, a->world_size == 1 ? "" : "s",
			    a->backend, a->torch, largest->bus_rate / 1e9,
			    largest->bytes / (1 << 20));
	for (unsigned i = 0; i < a->nnetworks; i++)
		judge_network(d, a, &a->network[i]);
	if (judge_pairs(d, a, err) < 0)
		return -1;
	return d->no_memory ? err_memory(err) : 0;
}
