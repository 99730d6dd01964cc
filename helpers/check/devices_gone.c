/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/check/node_facts.h"

#include "helpers/check/pairs.h"

#include <stdio.h>

static void on_condemned(void *arg, unsigned node, const char *text)
{
	struct devices_gone *g = arg;

	(void)node;
	if (!*g->why)
		snprintf(g->why, sizeof(g->why), "%s", text);
}

static void on_remark(void *arg, const char *nodes, const char *text)
{
	(void)arg;
	(void)nodes;
	(void)text;
}

static void has_looked(void *arg, const char *facts)
{
	static const char *const name[] = {"this node"};
	struct devices_gone *g = arg;
	struct err err;

	if (verdict_make(name, &facts, 1, on_condemned, on_remark, g, &err) < 0)
		*g->why = '\0';
	node_look_close(&g->look);
	g->done(g->arg, *g->why ? g->why : NULL);
}

int devices_gone_begin(struct devices_gone *g, int gpus,
		       const struct idlist *npus, struct err *err)
{
	g->wish = (struct node_look_wish){
		.limit_ms = DEVICES_GONE_MS,
		.only_devices = true,
		.gpus = gpus,
		.npus = *npus,
	};
	*g->why = '\0';
	g->look = (struct node_look){
		.loop = g->loop, .done = has_looked, .arg = g};
	return node_look_begin(&g->look, &g->wish, err);
}

void devices_gone_close(struct devices_gone *g)
{
	node_look_close(&g->look);
}
