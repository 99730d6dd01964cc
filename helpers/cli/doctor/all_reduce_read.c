/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/doctor/all_reduce.h"

#include "core/base/text.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const cJSON *o, const char *name)
{
	const char *text =
		cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(o, name));

	return text ? text : "";
}

/* A number that is finite and not negative; else 0. */
static double number(const cJSON *item)
{
	double n = cJSON_IsNumber(item) ? item->valuedouble : 0;

	return isfinite(n) && n >= 0 ? n : 0;
}

static double number_of(const cJSON *o, const char *name)
{
	return number(cJSON_GetObjectItemCaseSensitive(o, name));
}

static unsigned count(double n)
{
	return n < 1e9 ? (unsigned)n : 0;
}

/* A text for a terminal, whatever is in it. */
static void keep(char *ret, size_t size, const char *text)
{
	snprintf(ret, size, "%s", text);
	plain_text(ret, "");
}

static void read_sizes(const cJSON *list, struct all_reduce *ret)
{
	const cJSON *o;

	cJSON_ArrayForEach(o, list)
	{
		if (ret->nsizes == ALL_REDUCE_SIZES)
			return;
		ret->size[ret->nsizes++] = (struct all_reduce_size){
			.bytes = number_of(o, "bytes"),
			.seconds = number_of(o, "seconds"),
			.bus_rate = number_of(o, "bus_bytes_per_s"),
		};
	}
}

/* [NAME, RANKS, CHANNELS, DIRECT, DEVICES] */
static void read_networks(const cJSON *list, struct all_reduce *ret)
{
	const cJSON *o;

	cJSON_ArrayForEach(o, list)
	{
		struct all_reduce_network *n = &ret->network[ret->nnetworks];
		const char *name =
			cJSON_GetStringValue(cJSON_GetArrayItem(o, 0));
		const char *devices =
			cJSON_GetStringValue(cJSON_GetArrayItem(o, 4));

		if (ret->nnetworks == ALL_REDUCE_NETWORKS)
			return;
		ret->nnetworks++;
		keep(n->name, sizeof(n->name), name ? name : "");
		n->nranks = count(number(cJSON_GetArrayItem(o, 1)));
		n->nchannels = count(number(cJSON_GetArrayItem(o, 2)));
		n->ndirect = count(number(cJSON_GetArrayItem(o, 3)));
		keep(n->devices, sizeof(n->devices), devices ? devices : "");
	}
}

/* The doctor's number of the node with number `item` in the step. */
static bool find_node(const struct doctor *d, const cJSON *names,
		      const cJSON *item, unsigned *ret)
{
	const char *name;

	if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0))
		return false;
	name = cJSON_GetStringValue(
		cJSON_GetArrayItem(names, (int)count(item->valuedouble)));
	for (unsigned i = 0; name && i < d->nnodes; i++)
		if (!strcmp(d->node[i], name)) {
			*ret = i;
			return true;
		}
	return false;
}

/* [NODE, NODE, RATE] */
static int read_pairs(const cJSON *list, const cJSON *names,
		      const struct doctor *d, struct all_reduce *ret)
{
	const cJSON *o;

	ret->pair = calloc((size_t)cJSON_GetArraySize(list) + 1,
			   sizeof(*ret->pair));
	if (!ret->pair)
		return -1;
	cJSON_ArrayForEach(o, list)
	{
		struct all_reduce_pair *p = &ret->pair[ret->npairs];

		p->rate = number(cJSON_GetArrayItem(o, 2));
		if (find_node(d, names, cJSON_GetArrayItem(o, 0),
			      &p->node[0]) &&
		    find_node(d, names, cJSON_GetArrayItem(o, 1),
			      &p->node[1]) &&
		    p->node[0] != p->node[1])
			ret->npairs++;
	}
	return 0;
}

static int read_object(const cJSON *o, const struct doctor *d,
		       struct all_reduce *ret, struct err *err)
{
	keep(ret->error, sizeof(ret->error), text_of(o, "error"));
	keep(ret->backend, sizeof(ret->backend), text_of(o, "backend"));
	keep(ret->torch, sizeof(ret->torch), text_of(o, "torch"));
	ret->world_size = count(number_of(o, "world_size"));
	ret->nrounds = count(number_of(o, "rounds"));
	read_sizes(cJSON_GetObjectItemCaseSensitive(o, "sizes"), ret);
	read_networks(cJSON_GetObjectItemCaseSensitive(o, "networks"), ret);
	if (read_pairs(cJSON_GetObjectItemCaseSensitive(o, "pairs"),
		       cJSON_GetObjectItemCaseSensitive(o, "nodes"), d,
		       ret) < 0)
		return err_memory(err);
	if (!*ret->error && !ret->nsizes)
		keep(ret->error, sizeof(ret->error), "nothing was measured");
	return 0;
}

/* Without a line of its own, the last line of ours or of anybody says why:
 * "dist-train: rank 3 (worker) on node2, pid 4711: signal 11 (SIGSEGV) ..." */
static void find_reason(const char *output, struct all_reduce *ret)
{
	static const char ours[] = "dist-train: ";
	const char *found = NULL, *last = NULL;

	for (const char *line = output; *line;
	     line += strcspn(line, "\n"), line += *line == '\n') {
		if (!found && !strncmp(line, ours, strlen(ours)))
			found = line + strlen(ours);
		if (*line != '\n')
			last = line;
	}
	found = found ? found : last ? last : "it printed nothing";
	keep(ret->error, sizeof(ret->error), found);
	ret->error[strcspn(found, "\n") < sizeof(ret->error)
			   ? strcspn(found, "\n")
			   : sizeof(ret->error) - 1] = '\0';
}

int all_reduce_read(const char *output, const struct doctor *d,
		    struct all_reduce *ret, struct err *err)
{
	const char *line = strstr(output, ALL_REDUCE_MARK " {");
	cJSON *o =
		line ? cJSON_Parse(line + strlen(ALL_REDUCE_MARK " ")) : NULL;
	int rc = o ? read_object(o, d, ret, err) : 0;

	if (!o)
		find_reason(output, ret);
	cJSON_Delete(o);
	return rc;
}

void all_reduce_clear(struct all_reduce *a)
{
	free(a->pair);
	a->pair = NULL;
	a->npairs = 0;
}
