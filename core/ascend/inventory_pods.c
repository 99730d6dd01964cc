/* SPDX-License-Identifier: Apache-2.0 */
#include "core/ascend/inventory_pods.h"

#include "core/ascend/inventory.h"
#include "core/base/hostindex.h"

#include <stdlib.h>
#include <string.h>

struct finder {
	struct hostindex nodes;
	struct inventory_pods pods;
};

static int take_pod(void *arg, const char *node, const char *pod)
{
	struct finder *f = arg;
	unsigned at;

	if (hostindex_find(&f->nodes, node, &at) < 0 || f->pods.pod[at])
		return 0;
	f->pods.pod[at] = strdup(pod);
	return f->pods.pod[at] ? 0 : -1;
}

static int find_pods(const char *text, const char *file, struct finder *f,
		     struct err *err)
{
	struct inventory v;
	int rc;

	f->pods.pod = calloc(f->nodes.n + 1UL, sizeof(*f->pods.pod));
	if (!f->pods.pod)
		return err_memory(err);
	f->pods.n = f->nodes.n;
	if (inventory_read(text, file, &v, err) < 0)
		return -1;
	rc = inventory_each_pod(&v, take_pod, f, err);
	inventory_clear(&v);
	return rc;
}

int inventory_pods_read(const char *text, const char *file, const char *nodes,
			struct inventory_pods *ret, struct err *err)
{
	struct finder f = {.pods = {0}};
	int rc;

	if (hostindex_make(nodes, &f.nodes, err) < 0)
		return -1;
	rc = find_pods(text, file, &f, err);
	hostindex_clear(&f.nodes);
	if (rc == 0)
		*ret = f.pods;
	else
		inventory_pods_clear(&f.pods);
	return rc;
}

void inventory_pods_clear(struct inventory_pods *pods)
{
	for (unsigned i = 0; i < pods->n; i++)
		free(pods->pod[i]);
	free(pods->pod);
	*pods = (struct inventory_pods){0};
}
