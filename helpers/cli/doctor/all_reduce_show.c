/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/doctor/all_reduce.h"
#include "helpers/cli/json_print.h"

#include <stdio.h>

static void print_bytes(double bytes)
{
	static const char *const unit[] = {"B", "KiB", "MiB", "GiB"};
	size_t i = 0;

	for (; bytes >= 1024 && i < 3; i++)
		bytes /= 1024;
	printf("  %6.4g %-3s", bytes, unit[i]);
}

static void print_pairs(const struct doctor *d, const struct all_reduce *a)
{
	const struct all_reduce_pair *slow = a->pair, *fast = a->pair;

	if (!a->npairs)
		return;
	for (size_t i = 1; i < a->npairs; i++) {
		slow = a->pair[i].rate < slow->rate ? &a->pair[i] : slow;
		fast = a->pair[i].rate > fast->rate ? &a->pair[i] : fast;
	}
	printf("\n%zu pairs of nodes in %u rounds, each direction: median %.3g "
	       "GB/s,\n  slowest %.3g (%s, %s), fastest %.3g (%s, %s)\n",
	       a->npairs, a->nrounds, all_reduce_median(a) / 1e9,
	       slow->rate / 1e9, d->node[slow->node[0]], d->node[slow->node[1]],
	       fast->rate / 1e9, d->node[fast->node[0]],
	       d->node[fast->node[1]]);
}

static void print_sizes(const struct all_reduce *a)
{
	printf("\nall-reduce, world size %u, %s, PyTorch %s\n", a->world_size,
	       a->backend, a->torch);
	printf("        size     time (us)  bus bandwidth (GB/s)\n");
	for (unsigned i = 0; i < a->nsizes; i++) {
		print_bytes(a->size[i].bytes);
		printf("  %12.1f  %20.3f\n", a->size[i].seconds * 1e6,
		       a->size[i].bus_rate / 1e9);
	}
}

void all_reduce_print(const struct doctor *d, const struct all_reduce *a)
{
	if (a->nsizes)
		print_sizes(a);
	print_pairs(d, a);
}

static bool add_sizes(cJSON *o, const struct all_reduce *a)
{
	cJSON *list = cJSON_AddArrayToObject(o, "sizes");
	bool ok = list != NULL;

	for (unsigned i = 0; ok && i < a->nsizes; i++) {
		cJSON *one = json_append(list);

		ok = one && json_add_number(one, "bytes", a->size[i].bytes) &&
		     json_add_number(one, "seconds", a->size[i].seconds) &&
		     json_add_number(one, "bus_bytes_per_second",
				     a->size[i].bus_rate);
	}
	return ok;
}

static bool add_networks(cJSON *o, const struct all_reduce *a)
{
	cJSON *list = cJSON_AddArrayToObject(o, "networks");
	bool ok = list != NULL;

	for (unsigned i = 0; ok && i < a->nnetworks; i++) {
		const struct all_reduce_network *n = &a->network[i];
		cJSON *one = json_append(list);

		ok = one && json_add_text(one, "name", n->name) &&
		     json_add_number(one, "nranks", n->nranks) &&
		     json_add_number(one, "nchannels", n->nchannels) &&
		     json_add_number(one, "ngpudirect", n->ndirect) &&
		     json_add_text(one, "devices", n->devices);
	}
	return ok;
}

bool all_reduce_add_pairs(const struct doctor *d, const struct all_reduce *a,
			  cJSON *o)
{
	cJSON *list = cJSON_AddArrayToObject(o, "pairs");
	bool ok = list != NULL;

	for (size_t i = 0; ok && i < a->npairs; i++) {
		const struct all_reduce_pair *p = &a->pair[i];
		cJSON *one = json_append(list);

		ok = one && json_add_text(one, "node", d->node[p->node[0]]) &&
		     json_add_text(one, "other", d->node[p->node[1]]) &&
		     json_add_number(one, "bytes_per_second", p->rate);
	}
	return ok;
}

bool all_reduce_add_json(const struct doctor *d, const struct all_reduce *a,
			 cJSON *object)
{
	cJSON *o = cJSON_AddObjectToObject(object, "all_reduce");

	return o && json_add_text(o, "backend", a->backend) &&
	       json_add_text(o, "torch", a->torch) &&
	       json_add_number(o, "world_size", a->world_size) &&
	       add_sizes(o, a) && add_networks(o, a) &&
	       json_add_number(o, "rounds", a->nrounds) &&
	       all_reduce_add_pairs(d, a, o);
}
