/* SPDX-License-Identifier: Apache-2.0 */
/* Version 1.2: super_pod_list[].server_list[]. */
#include "core/base/parse.h"
#include "helpers/cli/ranktable/table_report.h"
#include "helpers/cli/ranktable/table_view.h"

#include <stdlib.h>
#include <string.h>

#define POD_ID_MAX 127

/* The first of the sorted entries whose server is `id`, or n. */
static size_t find_server(struct ranktable_row *const *row, size_t n,
			  const char *id)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const char *other = row[middle]->server_id;

		if (strcmp(other ? other : "", id) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == n || !row[low]->server_id || strcmp(row[low]->server_id, id))
		return n;
	return low;
}

/* To the library a name that is missing here is a wrong value. */
static const char *read_text(struct report *r, const struct where *at,
			     const cJSON *object, const char *key)
{
	const struct where where = {.up = at, .key = key};

	if (!value_find(object, key))
		report_where(r, &where, CODE_VALUE, "add it", "is missing");
	return value_text(r, at, object, key, false);
}

/* Put the server's entries into the pod. */
static void take_server(struct ranktable_row **row, size_t n, struct report *r,
			const struct where *at, const cJSON *server,
			const char *pod)
{
	const struct where where = {.up = at, .key = "server_id"};
	const char *id = read_text(r, at, server, "server_id");
	char shown[SHOW_SIZE], shown_pod[SHOW_SIZE];
	size_t i;

	if (!id)
		return;
	i = find_server(row, n, id);
	if (i == n) {
		report_where(r, &where, CODE_VALUE,
			     "add it to the table's server_list",
			     "%s isn't in the table's server_list",
			     show(shown, id));
		return;
	}
	if (row[i]->super_pod_id)
		report_where(r, &where, CODE_NONE, "a server is in one pod",
			     "%s is in super pod %s already", show(shown, id),
			     show(shown_pod, row[i]->super_pod_id));
	for (; i < n && row[i]->server_id && !strcmp(row[i]->server_id, id);
	     i++)
		row[i]->super_pod_id = pod;
}

static const char *read_id(struct report *r, const struct where *at,
			   const cJSON *pod)
{
	const struct where where = {.up = at, .key = "super_pod_id"};
	const char *id = read_text(r, at, pod, "super_pod_id");

	if (id && (!*id || strlen(id) > POD_ID_MAX))
		report_where(r, &where, *id ? CODE_NONE : CODE_VALUE, "",
			     "%zu characters; 1 to %d are possible", strlen(id),
			     POD_ID_MAX);
	return id;
}

static void read_pod(struct ranktable_row **row, size_t n, struct report *r,
		     const struct where *at, const cJSON *pod,
		     const char *pod_id)
{
	const struct where list = {.up = at, .key = "server_list"};
	const cJSON *servers = value_list(r, at, pod, "server_list");
	unsigned i = 0;

	for (const cJSON *s = servers ? servers->child : NULL; s; s = s->next) {
		const struct where where = {.up = &list, .index = i++};

		take_server(row, n, r, &where, s, pod_id);
	}
}

int form_pods(struct view *view, struct report *r)
{
	const struct where list = {.key = "super_pod_list"};
	cleanup_free struct ranktable_row **row = NULL;
	struct names ids = {.list = list.key,
			    .key = "super_pod_id",
			    .remedy = "put all servers of a pod into one entry",
			    .says_former = true};
	struct elements pods;
	const cJSON *pod;
	unsigned i = 0;
	int rc = 0;

	if (!value_find(view->doc.root, list.key) || view->chip != CHIP_910C)
		return 0;
	if (!document_list(&view->doc, r, list.key, &pods))
		return 0;
	row = view_sorted(view, VIEW_BY_DEVICE);
	if (!row)
		return -1;
	view->pods = true;
	while (rc == 0 && (pod = elements_next(&pods))) {
		const struct where where = {.up = &list, .index = i};
		const char *id =
			document_keep(&view->doc, read_id(r, &where, pod));

		read_pod(row, view->n, r, &where, pod, id);
		rc = names_add(&ids, id, i++, 0);
	}
	names_report(&ids, r);
	return rc;
}
