/* SPDX-License-Identifier: Apache-2.0 */
/* A layout as the page draws it: texts, and where they stand. */
#include "helpers/cli/explain/layout.h"
#include "helpers/cli/json_print.h"

static const char *const kinds[] = {
	[LAYOUT_SERVICE] = "service", [LAYOUT_PROGRAM] = "program",
	[LAYOUT_RANK] = "rank",	      [LAYOUT_WORKER] = "worker",
	[LAYOUT_SLOT] = "slot",
};

static bool add_item(cJSON *o, const struct layout *l,
		     const struct layout_drawing *d,
		     const struct layout_item *i)
{
	char text[512], label[400], below[32];

	layout_item_text(l, i, text, sizeof(text));
	layout_item_label(l, d, i, label, sizeof(label));
	layout_item_below(i, below, sizeof(below));
	return o && json_add_text(o, "kind", kinds[i->kind]) &&
	       json_add_text(o, "role", role_name(i->role)) &&
	       json_add_text(o, "label", label) &&
	       json_add_text(o, "below", below) &&
	       json_add_text(o, "text", text) &&
	       json_add_flag(o, "wide", layout_is_bar(i->kind)) &&
	       json_add_flag(o, "crosses", i->crosses) &&
	       json_add_flag(o, "meets", i - l->item == l->meeting);
}

static bool add_node(cJSON *o, const struct layout *l,
		     const struct layout_drawing *d,
		     const struct layout_node *n)
{
	const struct layout_item *i = l->item + n->first;
	cJSON *items;

	if (!o || !json_add_text(o, "name", n->name) ||
	    !json_add_text(o, "where", n->nic) ||
	    !json_add_flag(o, "spare", n->spare))
		return false;
	items = cJSON_AddArrayToObject(o, "items");
	for (unsigned k = 0; items && k < n->nbars + n->ncells; k++)
		if (!add_item(json_append(items), l, d, &i[k]))
			return false;
	return items;
}

bool layout_json(cJSON *o, const struct layout *l,
		 const struct layout_drawing *d)
{
	cJSON *nodes;

	if (!o || !json_add_text(o, "title", d->title) ||
	    !json_add_text(o, "mode", d->mode) ||
	    !json_add_text(o, "command", d->command) ||
	    !json_add_text(o, "meeting", d->meeting) ||
	    !json_add_list(o, "groups", l->groups, '\n') ||
	    !json_add_list(o, "examples", d->examples, '\n'))
		return false;
	nodes = cJSON_AddArrayToObject(o, "nodes");
	for (unsigned k = 0; nodes && k < d->nnodes; k++)
		if (!add_node(json_append(nodes), l, d, &l->node[k]))
			return false;
	return nodes;
}
