/* SPDX-License-Identifier: Apache-2.0 */
/* Version 1.2: super_pod_list[].server_list[]. */
#include "core/base/cleanup.h"
#include "core/base/parse.h"
#include "helpers/cli/ranktable/rules.h"

#include <stdlib.h>
#include <string.h>

#define POD_ID_MAX 127

struct pod {
	const char *id;
	unsigned index;
};

static int compare_pods(const void *pa, const void *pb)
{
	const struct pod *a = pa, *b = pb;
	int order = strcmp(a->id, b->id);

	return order ? order : a->index < b->index ? -1 : 1;
}

/* The first of the sorted entries whose server is `id`, or n. */
static size_t find_server(struct entry *const *e, size_t n, const char *id)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const char *other = e[middle]->server_id;

		if (strcmp(other ? other : "", id) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == n || !e[low]->server_id || strcmp(e[low]->server_id, id))
		return n;
	return low;
}

/* Put the server's entries into the pod. */
static void take_server(struct entry **e, size_t n, struct report *r,
			const struct where *at, const cJSON *server,
			const char *pod)
{
	const struct where where = {.up = at, .key = "server_id"};
	const char *id = value_text(r, at, server, "server_id", true);
	char shown[SHOW_SIZE], shown_pod[SHOW_SIZE];
	size_t i;

	if (!id)
		return;
	i = find_server(e, n, id);
	if (i == n) {
		report_where(r, &where, CODE_VALUE,
			     "add it to the table's server_list",
			     "%s isn't in the table's server_list",
			     show(shown, id));
		return;
	}
	if (e[i]->super_pod_id)
		report_where(r, &where, CODE_NONE, "a server is in one pod",
			     "%s is in super pod %s already", show(shown, id),
			     show(shown_pod, e[i]->super_pod_id));
	for (; i < n && e[i]->server_id && !strcmp(e[i]->server_id, id); i++)
		e[i]->super_pod_id = pod;
}

static const char *read_id(struct report *r, const struct where *at,
			   const cJSON *pod)
{
	const struct where where = {.up = at, .key = "super_pod_id"};
	const char *id = value_text(r, at, pod, "super_pod_id", true);

	if (id && (!*id || strlen(id) > POD_ID_MAX))
		report_where(r, &where, CODE_VALUE, "",
			     "%zu characters; 1 to %d are possible", strlen(id),
			     POD_ID_MAX);
	return id;
}

static void read_pod(struct entry **e, size_t n, struct report *r,
		     const struct where *at, const cJSON *pod,
		     const char *pod_id)
{
	const struct where list = {.up = at, .key = "server_list"};
	const cJSON *servers = value_list(r, at, pod, "server_list");
	unsigned i = 0;

	for (const cJSON *s = servers ? servers->child : NULL; s; s = s->next) {
		const struct where where = {.up = &list, .index = i++};

		take_server(e, n, r, &where, s, pod_id);
	}
}

static void check_unique(struct pod *pod, size_t n, struct report *r)
{
	char path[WHERE_TEXT_MAX], shown[SHOW_SIZE];

	qsort(pod, n, sizeof(*pod), compare_pods);
	for (size_t i = 1; i < n; i++) {
		if (strcmp(pod[i - 1].id, pod[i].id) != 0)
			continue;
		snprintf(path, sizeof(path), "super_pod_list[%u].super_pod_id",
			 pod[i].index);
		report_path(r, path, CODE_VALUE,
			    "put all servers of a pod into one entry",
			    "%s is that of super_pod_list[%u], too",
			    show(shown, pod[i].id), pod[i - 1].index);
	}
}

/* Every device has a pod and an id that is its own in the pod. */
static int check_devices(const struct view *view, struct report *r)
{
	cleanup_free struct entry **e = view_sorted(view, VIEW_BY_POD);
	char path[WHERE_TEXT_MAX];

	if (!e)
		return -1;
	for (size_t i = 0; i < view->n; i++) {
		const struct entry *former = i ? e[i - 1] : NULL;

		if (!e[i]->super_pod_id)
			RULES_FAULT(view, r, e[i], NULL, CODE_VALUE,
				    "add its server to super_pod_list",
				    "the device is in no super pod");
		if (!e[i]->has_super_device) {
			RULES_FAULT(view, r, e[i], "super_device_id", CODE_KEY,
				    "take it from npu-smi info -t spod-info",
				    "is missing");
			continue;
		}
		if (!former || !former->has_super_device ||
		    !former->super_pod_id || !e[i]->super_pod_id ||
		    former->super_device_id != e[i]->super_device_id ||
		    strcmp(former->super_pod_id, e[i]->super_pod_id) != 0)
			continue;
		view_path(view, former, NULL, path);
		RULES_FAULT(view, r, e[i], "super_device_id", CODE_VALUE,
			    "each device of a pod has its own",
			    "%u is that of %s, too", e[i]->super_device_id,
			    path);
	}
	return 0;
}

/* Between pods the devices talk over their network. */
static void check_network(const struct view *view, struct report *r,
			  size_t npods)
{
	for (size_t i = 0; i < view->n && npods > 1; i++) {
		const struct entry *e = &view->entry[i];

		if (!e->device_ip || !*e->device_ip)
			RULES_FAULT(view, r, e, "device_ip", CODE_NONE,
				    "add the address of hccn_tool -i N -ip -g",
				    "is missing, and devices of several super "
				    "pods need it");
	}
}

int rules_pods(struct view *view, struct report *r)
{
	const struct where list = {.key = "super_pod_list"};
	cleanup_free struct entry **e = NULL;
	cleanup_free struct pod *pod = NULL;
	const cJSON *pods;
	size_t n = 0;
	unsigned i = 0;

	if (!value_find(view->root, "super_pod_list") ||
	    view->chip != CHIP_910C)
		return 0;
	pods = value_list(r, NULL, view->root, "super_pod_list");
	if (!pods)
		return 0;
	e = view_sorted(view, VIEW_BY_DEVICE);
	pod = calloc((size_t)cJSON_GetArraySize(pods), sizeof(*pod));
	if (!e || !pod)
		return -1;
	view->pods = true;
	for (const cJSON *p = pods->child; p; p = p->next, i++) {
		const struct where where = {.up = &list, .index = i};
		const char *id = read_id(r, &where, p);

		if (id)
			pod[n++] = (struct pod){.id = id, .index = i};
		read_pod(e, view->n, r, &where, p, id);
	}
	check_network(view, r, n);
	check_unique(pod, n, r);
	return check_devices(view, r);
}
