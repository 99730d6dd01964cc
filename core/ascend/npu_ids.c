/* SPDX-License-Identifier: Apache-2.0 */
#include "core/ascend/npu_ids.h"

#include "core/ascend/npu.h"
#include "core/base/parse.h"

#include <string.h>

#define LIST_TEXT (IDLIST_MAX * 6)

bool npu_id_of_name(const char *name, unsigned short *ret)
{
	long n;

	if (strncmp(name, "davinci", 7) != 0 ||
	    parse_number(name + 7, 0, NPU_ID_MAX, &n) < 0 ||
	    (name[7] == '0' && name[8]))
		return false;
	*ret = (unsigned short)n;
	return true;
}

/* The first of `ids` that isn't in the list, or -1. */
static int first_missing(const struct idlist *ids, const struct idlist *list)
{
	for (unsigned i = 0; i < ids->n; i++)
		if (idlist_find(list, ids->id[i]) < 0)
			return ids->id[i];
	return -1;
}

static unsigned largest(const struct idlist *list)
{
	unsigned max = 0;

	for (unsigned i = 0; i < list->n; i++)
		if (list->id[i] > max)
			max = list->id[i];
	return max;
}

int npu_ids_check(const struct idlist *ids, const struct npu_nodes *nodes,
		  const char *node, struct err *err)
{
	int id = first_missing(ids, &nodes->present);
	char list[LIST_TEXT] = "none";

	if (id < 0)
		return 0;
	if (nodes->present.n)
		idlist_format(&nodes->present, list, sizeof(list));
	return err_printf(err,
			  "Slurm allocated NPU %d on node %.200s, but there is "
			  "no /dev/davinci%d; the driver shows %.300s",
			  id, node, id, list);
}

static int ambiguous(const struct npu_nodes *nodes, const char *node,
		     struct err *err)
{
	char list[LIST_TEXT];

	idlist_format(&nodes->present, list, sizeof(list));
	return err_printf(err,
			  "node %.200s has the NPUs %.300s: Slurm's index of "
			  "an NPU may be its number or its position in "
			  "gres.conf; set ConstrainDevices=yes in cgroup.conf, "
			  "which tells the two apart",
			  node, list);
}

int npu_ids_of_gres(const struct idlist *gres, const struct npu_nodes *nodes,
		    const char *node, struct idlist *ret, struct err *err)
{
	const struct idlist *all = &nodes->present, *open = &nodes->allowed;
	bool confined = open->n < all->n;
	bool gap = all->n && largest(all) != all->n - 1;

	if (confined && open->n == gres->n) {
		*ret = *open;
		return 0;
	}
	if (gap && gres->n == all->n && largest(gres) < all->n) {
		*ret = *all;
		return 0;
	}
	if (npu_ids_check(gres, nodes, node, err) < 0)
		return -1;
	if (gap && gres->n && largest(gres) < all->n)
		return ambiguous(nodes, node, err);
	*ret = *gres;
	return 0;
}

int npu_ids_visible(const struct idlist *ids, const struct npu_nodes *nodes,
		    const char *visible, struct idlist *ret, struct err *err)
{
	struct idlist list, found = {.n = ids->n};
	char shown[SHOW_SIZE];

	if (visible && idlist_parse(visible, &list) < 0)
		return err_printf(err,
				  "ASCEND_RT_VISIBLE_DEVICES=%s isn't a list "
				  "of devices such as 0,1",
				  show(shown, visible));
	for (unsigned i = 0; i < ids->n; i++) {
		int at = idlist_find(&nodes->present, ids->id[i]);

		if (at >= 0 && visible)
			at = idlist_find(&list, (unsigned)at);
		if (at < 0)
			return err_printf(
				err,
				"NPU %u isn't among the devices that the "
				"process sees%s%s",
				ids->id[i],
				visible ? ": ASCEND_RT_VISIBLE_DEVICES=" : "",
				visible ? show(shown, visible) : "");
		found.id[i] = (unsigned short)at;
	}
	*ret = found;
	return 0;
}
