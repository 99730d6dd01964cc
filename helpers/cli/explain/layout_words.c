/* SPDX-License-Identifier: Apache-2.0 */
/* What stands in a layout, in words: the same ones in both of its forms. */
#include "helpers/cli/explain/layout.h"

#include "core/base/text.h"
#include "helpers/cli/json_print.h"

static void add_crossing(const struct layout *l, const struct layout_item *i,
			 char *buf, size_t size)
{
	for (unsigned k = 0; i->crosses >> k; k++)
		if (i->crosses >> k & 1)
			text_add(buf, size, ", ", "%s", l->crossing[k]);
}

void layout_item_text(const struct layout *l, const struct layout_item *i,
		      char *buf, size_t size)
{
	char node[300];
	const char *role = role_name(i->role);
	const char *dev = *i->devices ? i->devices : "no device";

	snprintf(node, sizeof(node), "%s", l->node[i->node].name);
	if (i->kind == LAYOUT_SERVICE)
		snprintf(buf, size, "%s on %s, started by the step", role,
			 node);
	else if (i->kind == LAYOUT_SLOT)
		snprintf(buf, size, "room for a worker on %s, %s", node, dev);
	else if (i->kind == LAYOUT_WORKER && !i->numbered)
		snprintf(buf, size, "worker on %s, %s", node, dev);
	else if (i->last != i->number)
		snprintf(buf, size,
			 "ranks %u to %u (%s) on %s, LOCAL_RANK %u, %s",
			 i->number, i->last, role, node, i->local_rank, dev);
	else if (i->role == ROLE_WORKER)
		snprintf(buf, size, "rank %u on %s, LOCAL_RANK %u, %s",
			 i->number, node, i->local_rank, dev);
	else
		snprintf(buf, size, "rank %u (%s %u) on %s, LOCAL_RANK %u, %s",
			 i->number, role, i->role_index, node, i->local_rank,
			 dev);
	add_crossing(l, i, buf, size);
}

void layout_item_label(const struct layout *l, const struct layout_drawing *d,
		       const struct layout_item *i, char *buf, size_t size)
{
	if (!layout_is_bar(i->kind))
		snprintf(buf, i->numbered ? size : 1, "%u", i->number);
	else if (i->kind == LAYOUT_SERVICE)
		snprintf(buf, size, "%s %s", d->framework, role_name(i->role));
	else if (l->nslots)
		snprintf(buf, size, "%s", d->program);
	else if (i->last != i->number)
		snprintf(buf, size, "%s %u to %u", d->program, i->number,
			 i->last);
	else
		snprintf(buf, size, "%s %u", d->program, i->number);
}

void layout_item_below(const struct layout_item *i, char *buf, size_t size)
{
	if (!*i->devices && i->role == ROLE_PS)
		snprintf(buf, size, "ps %u", i->role_index);
	else if (!*i->devices && i->role != ROLE_WORKER)
		snprintf(buf, size, "%s", role_name(i->role));
	else
		snprintf(buf, size, "%s", i->devices);
}

static const char *const kinds[] = {
	[LAYOUT_SERVICE] = "service", [LAYOUT_PROGRAM] = "program",
	[LAYOUT_RANK] = "rank",	      [LAYOUT_WORKER] = "worker",
	[LAYOUT_SLOT] = "slot",
};

static void put_item(struct json *j, const struct layout *l,
		     const struct layout_drawing *d,
		     const struct layout_item *i)
{
	char text[512], label[400], below[32];

	layout_item_text(l, i, text, sizeof(text));
	layout_item_label(l, d, i, label, sizeof(label));
	layout_item_below(i, below, sizeof(below));
	json_add(j,
		 "{kind:%s role:%s label:%s below:%s text:%s "
		 "wide?:%i crosses?:%i meets?:%i}",
		 kinds[i->kind], role_name(i->role), label, below, text,
		 layout_is_bar(i->kind), i->crosses != 0,
		 i - l->item == l->meeting);
}

static void put_node(struct json *j, const struct layout *l,
		     const struct layout_drawing *d,
		     const struct layout_node *n)
{
	json_add(j, "{name:%s where:%s spare?:%i items:[", n->name, n->nic,
		 n->spare);
	for (unsigned k = 0; k < n->nbars + n->ncells; k++)
		put_item(j, l, d, &l->item[n->first + k]);
	json_add(j, "]}");
}

void layout_json(struct json *j, const struct layout *l,
		 const struct layout_drawing *d)
{
	json_add(j, "title:%s mode:%s command:%s meeting:%s", d->title, d->mode,
		 d->command, d->meeting);
	json_list(j, "groups", l->groups, '\n');
	json_list(j, "examples", d->examples, '\n');
	json_add(j, "nodes:[");
	for (unsigned k = 0; k < d->nnodes; k++)
		put_node(j, l, d, &l->node[k]);
	json_add(j, "]");
}
