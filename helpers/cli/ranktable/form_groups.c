/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables without a version: group_list[].instance_list[].devices[], with ranks
 * ("lab", which has deploy_mode) or with the ranks left to the library
 * ("cloud").
 */
#include "helpers/cli/ranktable/table_report.h"
#include "helpers/cli/ranktable/table_view.h"

#include <string.h>

/* What one group says of itself. */
struct group {
	const char *name;
	unsigned index;
	uint32_t ninstances, ndevices, nservers;
	bool counted; /* the numbers could be read */
};

static int read_device(struct view *view, struct report *r,
		       const struct where *at, const cJSON *device,
		       const struct entry *instance, bool needs_ip)
{
	uint32_t max = view->form == FORM_CLOUD
			       ? chip_facts(CHIP_910A)->max_device
			       : chip_facts(view->chip)->max_device;
	struct entry *e = view_add(view, instance);

	if (!e)
		return -1;
	e->at[2] = at->index;
	e->row.device_unknown = value_number(r, at, device, "device_id", true,
					     0, max, &e->row.device_id) < 0;
	/* where the library doesn't need it, it doesn't read it */
	if (needs_ip)
		e->row.device_ip = document_keep(
			&view->doc,
			value_text(r, at, device, "device_ip", true));
	return 0;
}

static void read_names(struct view *view, struct report *r,
		       const struct where *at, const cJSON *instance,
		       struct ranktable_row *row)
{
	const struct where where = {.up = at, .key = "server_id"};
	const char *id = value_text(r, at, instance, where.key, true);

	row->server_id = document_keep(&view->doc, id);
	if (id && (!*id || strlen(id) > 64))
		report_where(r, &where, CODE_NONE, "",
			     "%zu characters; 1 to 64 are possible",
			     strlen(id));
	form_server_blanks(r, &where, id);
	row->rank_unknown = view->form != FORM_LAB ||
			    value_number(r, at, instance, "rank_id", true, 0,
					 UINT32_MAX, &row->rank) < 0;
}

/* Returns the number of devices, or -1. */
static int read_instance(struct view *view, struct report *r,
			 const struct where *at, const cJSON *instance,
			 unsigned group, bool alone, struct names *pods)
{
	const struct where list = {.up = at, .key = "devices"};
	struct entry e = {.at = {group, at->index}};
	const cJSON *devices;
	const char *pod;
	unsigned i = 0;

	read_names(view, r, at, instance, &e.row);
	if (view->form == FORM_CLOUD) {
		pod = document_keep(&view->doc, value_text(r, at, instance,
							   "pod_name", true));
		if (names_add(pods, pod, group, at->index) < 0)
			return -1;
	}
	devices = value_list(r, at, instance, "devices");
	for (const cJSON *d = devices ? devices->child : NULL; d; d = d->next) {
		const struct where where = {.up = &list, .index = i++};

		if (read_device(view, r, &where, d, &e,
				view->form == FORM_LAB || !alone) < 0)
			return -1;
	}
	return (int)i;
}

/* The average of devices per server is a power of two up to 16. */
static void check_average(const struct group *g, struct report *r,
			  const struct where *at)
{
	uint32_t average = g->ndevices / g->nservers;

	if (g->ndevices % g->nservers || !average || average > 16 ||
	    average & (average - 1))
		report_where(r, at, CODE_NONE,
			     "servers have 1, 2, 4, 8 or 16 each",
			     "device_num %u over server_num %u", g->ndevices,
			     g->nservers);
	if (g->ninstances != g->ndevices)
		report_where(r, at, CODE_NONE, "an instance is one device",
			     "instance_count %u and device_num %u",
			     g->ninstances, g->ndevices);
}

static void read_group(struct view *view, struct report *r,
		       const struct where *at, const cJSON *group,
		       struct group *ret)
{
	bool lab = view->form == FORM_LAB;

	ret->name = document_keep(&view->doc,
				  value_text(r, at, group, "group_name", true));
	ret->counted =
		value_number(r, at, group, "instance_count", true, 1,
			     UINT32_MAX, &ret->ninstances) == 0 &&
		value_number(r, at, group, lab ? "device_num" : "device_count",
			     true, 1, UINT32_MAX, &ret->ndevices) == 0;
	if (lab &&
	    value_number(r, at, group, "server_num", true, 1, UINT32_MAX,
			 &ret->nservers) == 0 &&
	    ret->counted)
		check_average(ret, r, at);
}

static void check_counts(const struct group *g, struct report *r,
			 const struct where *at, unsigned ninstances,
			 unsigned ndevices)
{
	if (g->counted && g->ninstances != ninstances)
		report_where(r, at, CODE_NONE, "correct instance_count",
			     "instance_count %u, but instance_list has %u",
			     g->ninstances, ninstances);
	if (g->counted && g->ndevices != ndevices)
		report_where(r, at, CODE_NONE, "correct the count",
			     "%u devices by its own count, but there are %u",
			     g->ndevices, ndevices);
}

static int read_instances(struct view *view, struct report *r,
			  const struct where *at, const cJSON *group,
			  const struct group *g, struct names *pods)
{
	const struct where list = {.up = at, .key = "instance_list"};
	const cJSON *instances = value_list(r, at, group, "instance_list");
	bool alone = instances && !instances->child->next;
	unsigned n = 0, ndevices = 0;

	if (!instances)
		return 0;
	for (const cJSON *i = instances->child; i; i = i->next) {
		const struct where where = {.up = &list, .index = n++};
		int found = read_instance(view, r, &where, i, at->index, alone,
					  pods);

		if (found < 0)
			return -1;
		ndevices += (unsigned)found;
	}
	check_counts(g, r, at, n, ndevices);
	return 0;
}

static void check_head(struct view *view, struct report *r)
{
	const struct where where = {.key = "para_plane_nic_location"};
	const cJSON *groups = value_find(view->doc.root, "group_list");
	unsigned n = groups == view->doc.list
			     ? view->doc.n
			     : (unsigned)cJSON_GetArraySize(groups);
	const char *location;
	uint32_t count;

	if (value_number(r, NULL, view->doc.root, "group_count", true, 1,
			 UINT32_MAX, &count) == 0 &&
	    cJSON_IsArray(groups) && count != n)
		report_path(r, "group_count", CODE_NONE, "correct it",
			    "%u, but group_list has %u", count, n);
	if (view->form != FORM_LAB)
		return;
	location = value_text(r, NULL, view->doc.root, where.key, true);
	if (location && strcmp(location, "device") != 0)
		report_where(r, &where, CODE_NONE, "write \"device\"",
			     "network cards of hosts aren't supported");
}

/* The library gives out the ranks by server, then device. */
static int assign_ranks(struct view *view)
{
	cleanup_free struct ranktable_row **row =
		view_sorted(view, VIEW_BY_DEVICE);

	if (!row)
		return -1;
	for (size_t i = 0; i < view->n; i++) {
		row[i]->rank = (unsigned)i;
		row[i]->rank_unknown = false;
	}
	return 0;
}

static int read_groups(struct view *view, struct report *r,
		       struct names *groups, struct names *pods,
		       uint64_t *ret_nservers)
{
	const struct where list = {.key = "group_list"};
	struct elements list_of_groups;
	const cJSON *g;
	unsigned i = 0;

	*ret_nservers = 0;
	if (!document_list(&view->doc, r, list.key, &list_of_groups))
		return 0;
	while ((g = elements_next(&list_of_groups))) {
		const struct where where = {.up = &list, .index = i};
		struct group group = {.index = i++};

		read_group(view, r, &where, g, &group);
		*ret_nservers += group.nservers;
		if (names_add(groups, group.name, group.index, 0) < 0)
			return -1;
		if (read_instances(view, r, &where, g, &group, pods) < 0)
			return -1;
	}
	return 0;
}

/* To the library the groups' server_num are how many servers there are. */
static int check_servers(const struct view *view, struct report *r,
			 uint64_t nservers)
{
	cleanup_free struct ranktable_row **row =
		view_sorted(view, VIEW_BY_DEVICE);
	size_t n = 0;

	if (!row)
		return -1;
	for (size_t i = 0; i < view->n; i++) {
		if (!row[i]->server_id)
			return 0;
		n += !i || strcmp(row[i]->server_id, row[i - 1]->server_id);
	}
	if (nservers && n != nservers)
		report_path(r, "group_list", CODE_NONE, "correct server_num",
			    "server_num %llu in all groups, but the instances "
			    "have %zu servers",
			    (unsigned long long)nservers, n);
	return 0;
}

int form_groups(struct view *view, struct report *r)
{
	bool lab = value_find(view->doc.root, "deploy_mode") != NULL;
	struct names groups = {.list = "group_list",
			       .key = "group_name",
			       .remedy = "each has its own"};
	struct names pods = {.list = "group_list",
			     .inner = "instance_list",
			     .key = "pod_name",
			     .remedy = "each has its own"};
	uint64_t nservers;
	int ret;

	view->form = lab ? FORM_LAB : FORM_CLOUD;
	check_head(view, r);
	ret = read_groups(view, r, &groups, &pods, &nservers);
	names_report(&groups, r);
	names_report(&pods, r);
	if (ret < 0)
		return -1;
	return lab ? check_servers(view, r, nservers) : assign_ranks(view);
}
