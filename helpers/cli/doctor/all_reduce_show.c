/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/text_table.h"
#include "helpers/cli/doctor/all_reduce.h"
#include "helpers/cli/json_print.h"

#include <stdio.h>

static void add_bytes(struct text_table *t, double bytes)
{
	static const char *const unit[] = {"B", "KiB", "MiB", "GiB"};
	size_t i = 0;

	for (; bytes >= 1024 && i < 3; i++)
		bytes /= 1024;
	text_table_add(t, "%.4g %-3s", bytes, unit[i]);
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

static int print_sizes(const struct all_reduce *a, struct err *err)
{
	cleanup_table struct text_table t = {.indent = "  "};

	text_table_column(&t, COLUMN_RIGHT, "size");
	text_table_column(&t, COLUMN_RIGHT, "time (us)");
	text_table_column(&t, COLUMN_RIGHT, "bus bandwidth (GB/s)");
	for (unsigned i = 0; i < a->nsizes; i++) {
		add_bytes(&t, a->size[i].bytes);
		text_table_add(&t, "%.1f", a->size[i].seconds * 1e6);
		text_table_add(&t, "%.3f", a->size[i].bus_rate / 1e9);
	}
	printf("\nall-reduce, world size %u, %s, PyTorch %s\n", a->world_size,
	       a->backend, a->torch);
	return text_table_print(stdout, &t, err);
}

int all_reduce_print(const struct doctor *d, const struct all_reduce *a,
		     struct err *err)
{
	if (a->nsizes && print_sizes(a, err) < 0)
		return -1;
	print_pairs(d, a);
	return 0;
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
