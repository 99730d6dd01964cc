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

void all_reduce_json_pairs(struct json *j, const struct doctor *d,
			   const struct all_reduce *a)
{
	json_add(j, "pairs:[");
	for (size_t i = 0; i < a->npairs; i++) {
		const struct all_reduce_pair *p = &a->pair[i];

		json_add(j, "{node:%s other:%s bytes_per_second:%g}",
			 d->node[p->node[0]], d->node[p->node[1]],
			 (double)p->rate);
	}
	json_add(j, "]");
}

void all_reduce_json(struct json *j, const struct doctor *d,
		     const struct all_reduce *a)
{
	json_add(j,
		 "all_reduce:{backend:%s torch:%s world_size:%u "
		 "sizes:[",
		 a->backend, a->torch, a->world_size);
	for (unsigned i = 0; i < a->nsizes; i++) {
		json_add(j, "{bytes:%g seconds:%g bus_bytes_per_second:%g}",
			 (double)a->size[i].bytes, (double)a->size[i].seconds,
			 (double)a->size[i].bus_rate);
	}
	json_add(j, "] networks:[");
	for (unsigned i = 0; i < a->nnetworks; i++) {
		const struct all_reduce_network *n = &a->network[i];

		json_add(j,
			 "{name:%s nranks:%u nchannels:%u ngpudirect:%u "
			 "devices:%s}",
			 n->name, n->nranks, n->nchannels, n->ndirect,
			 n->devices);
	}
	json_add(j, "] rounds:%u", a->nrounds);
	all_reduce_json_pairs(j, d, a);
	json_add(j, "}");
}
