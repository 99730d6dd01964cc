/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parsing of Slurm's gres texts: what a step has asked for
 * ("gres/gpu:a100:2"), what a job has on a node ("gpu:a100:4(IDX:0-3)"), and
 * the list by which srun passes indices to the nodes.
 */
#include "core/facts/device.h"

#include "core/base/parse.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char *const generic_names[] = {"npu", "ascend", "davinci"};

/* Hygon, Enflame, Intel Gaudi, Graphcore, Cambricon, AWS, Google, Kunlun. */
static const char *const counted_names[] = {
	"dcu", "gcu", "hpu", "ipu", "mlu", "neuron", "tpu", "xpu",
};

/* Parts of GPUs. */
static const char *const shared_names[] = {"shard", "mps"};

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

const char *gres_generic_name(const char *types)
{
	for (size_t i = 0; types && i < LENGTH(generic_names); i++)
		if (is_listed(types, generic_names[i]))
			return generic_names[i];
	return NULL;
}

const char *gres_counted_name(size_t n)
{
	return n < LENGTH(counted_names) ? counted_names[n] : NULL;
}

const char *gres_shared_name(size_t n)
{
	return n < LENGTH(shared_names) ? shared_names[n] : NULL;
}

/* The length of the item at `text`: up to a comma outside parentheses. */
static size_t item_length(const char *text)
{
	size_t n = 0;
	bool inside = false;

	for (; text[n] && (inside || text[n] != ','); n++) {
		if (text[n] == '(')
			inside = true;
		else if (text[n] == ')')
			inside = false;
	}
	return n;
}

static bool item_is(const char *item, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(item, name, n) && (item[n] == ':' || item[n] == '(');
}

/* "(4/4,0/4)": of shared devices, how much of each; "(IDX:0)" is of others. */
static int add_shares(const char *item, size_t len, struct idlist *list)
{
	const char *at = memchr(item, '(', len);
	unsigned long part, of;

	for (unsigned short i = 0; at && *at != ')'; i++) {
		at++;
		if (digits_read(&at, ULONG_MAX / 10 - 1, &part) < 0 ||
		    *at++ != '/' ||
		    digits_read(&at, ULONG_MAX / 10 - 1, &of) < 0 ||
		    (*at != ',' && *at != ')'))
			return 0;
		if (part && list->n == IDLIST_MAX)
			return -1;
		if (part)
			list->id[list->n++] = i;
	}
	return 0;
}

static int add_indices(const char *item, size_t len, struct idlist *list)
{
	char text[1024];
	struct idlist more;
	const char *start = memmem(item, len, "(IDX:", 5);
	const char *end = memchr(item, ')', len);
	int n;

	if (!start)
		return add_shares(item, len, list);
	start += 5;
	n = end > start ? (int)(end - start) : 0;
	if (n <= 0 || n >= (int)sizeof(text))
		return -1;
	memcpy(text, start, (size_t)n);
	text[n] = '\0';
	if (!strcmp(text, "N/A"))
		return 0;
	if (idlist_parse(text, &more) < 0 || list->n + more.n > IDLIST_MAX)
		return -1;
	for (unsigned i = 0; i < more.n; i++)
		list->id[list->n++] = more.id[i];
	return 0;
}

int gres_detail(const char *detail, const char *name, struct idlist *ret)
{
	struct idlist list = {0};

	while (*detail) {
		size_t len = item_length(detail);

		if (item_is(detail, name) &&
		    add_indices(detail, len, &list) < 0)
			return -1;
		detail += len + (detail[len] == ',');
	}
	*ret = list;
	return 0;
}

/* "gpu", "gpu:2", "gpu:a100:2": the number after the last colon, or 1. */
static unsigned long item_count(const char *item, size_t len)
{
	const char *colon = memrchr(item, ':', len);
	char *end;
	unsigned long n;

	if (!colon)
		colon = memrchr(item, '=', len);
	if (!colon)
		return 1;
	n = strtoul(colon + 1, &end, 10);
	return end == item + len && end > colon + 1 ? n : 1;
}

/* Slurm 24.11 and 26.05 list a step's --gpus-per-node twice; it counts once. */
static bool is_repeated(const char *request, const char *item, size_t len)
{
	while (request < item) {
		size_t n = strcspn(request, ",");

		if (n == len && !strncmp(request, item, len))
			return true;
		request += n + 1;
	}
	return false;
}

bool gres_asked(const char *request, const char *name, unsigned long *ret)
{
	const char *all = request;
	size_t name_len = strlen(name);
	unsigned long total = 0;
	bool named = false;

	while (*request) {
		size_t len = strcspn(request, ",");
		const char *item = request;
		bool repeated = is_repeated(all, item, len);

		if (!strncmp(item, "gres:", 5) || !strncmp(item, "gres/", 5))
			item += 5;
		if (!strncmp(item, name, name_len) &&
		    strchr(":=,", item[name_len])) {
			if (!repeated)
				total += item_count(
					item, len - (size_t)(item - request));
			named = true;
		}
		request += len + (request[len] == ',');
	}
	if (named)
		*ret = total;
	return named;
}

/* One "NODES:INDICES" of srun's list: cut it at the colon, and read what is
 * behind that. */
static int read_item(char *item, struct idlist *ret, struct err *err)
{
	char *colon = strrchr(item, ':'), shown[SHOW_SIZE];

	if (!colon)
		return err_printf(err,
				  "the step's devices: %s isn't NODES:INDICES",
				  show(shown, item));
	*colon = '\0';
	if (idlist_parse(colon + 1, ret) == 0)
		return 0;
	return err_printf(err, "the step's devices: %s isn't a list of indices",
			  show(shown, colon + 1));
}

int gres_of_node(const char *text, const char *node, struct idlist *ret,
		 struct err *err)
{
	cleanup_free char *copy = strdup(text);
	char *save = NULL;

	if (!copy)
		return err_memory(err);
	ret->n = 0;
	for (char *item = strtok_r(copy, ";", &save); item;
	     item = strtok_r(NULL, ";", &save)) {
		struct idlist list;
		unsigned at;

		if (read_item(item, &list, err) < 0)
			return -1;
		if (hostlist_find(item, node, &at) < 0)
			continue;
		*ret = list;
		return 0;
	}
	return 0;
}

struct found {
	const struct hostindex *nodes;
	const struct idlist *list; /* of the names that come */
	struct idlist *ret;
};

static int give_list(void *arg, const char *name)
{
	struct found *f = arg;
	unsigned at;

	if (hostindex_find(f->nodes, name, &at) == 0 && !f->ret[at].n)
		f->ret[at] = *f->list;
	return 0;
}

int gres_of_nodes(const char *text, const struct hostindex *nodes,
		  struct idlist *ret, struct err *err)
{
	cleanup_free char *copy = strdup(text);
	char *save = NULL, shown[SHOW_SIZE];
	struct idlist list;
	struct found f = {nodes, &list, ret};

	if (!copy)
		return err_memory(err);
	for (unsigned i = 0; i < nodes->n; i++)
		ret[i].n = 0;
	for (char *item = strtok_r(copy, ";", &save); item;
	     item = strtok_r(NULL, ";", &save)) {
		if (read_item(item, &list, err) < 0)
			return -1;
		if (hostlist_each(item, give_list, &f) < 0)
			return err_printf(err,
					  "the step's devices: %s isn't a list "
					  "of nodes",
					  show(shown, item));
	}
	return 0;
}
