/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The administrator's inventory of devices, one line for a set of nodes:
 *
 *	node[001-128] 0-7 address=29.17.[1-128].[10-17] pod=0 chip=910B
 *
 * The first word is a host list, the second the physical ids of the devices.
 * A value is a list in the same syntax, which must stand for nodes x devices
 * values, node by node, so that a first bracket runs over the nodes and the
 * last over the devices. One value alone is that of all, and one for each node
 * that of its devices; neither for addresses and super device ids, which are
 * different everywhere. Lists joined by '+' are several addresses of a device.
 * Several lines may tell different facts of a device.
 *
 * A line may also tell the NVLink domain of nodes with GPUs, one value for each
 * node or one for all:
 *
 *	rack1-[01-18] gpu nvlink=5e1f8a1c-96f1-4c7d-b0c9-9e0f0d7b11aa.1
 */
#pragma once

#include "core/ascend/npu.h"
#include "core/base/err.h"
#include "core/base/idlist.h"

#define INVENTORY_MAX (64 << 20) /* bytes of the file */

struct inventory_line;

struct inventory {
	const char *file; /* for messages */
	unsigned nlines;
	struct inventory_line *line;
	char *text; /* what the lines point into */
};

/* Read the whole text. `file` is borrowed. Fails with FILE:LINE when a line
 * isn't as above; addresses are looked at when they are asked for. Free with
 * inventory_clear(). */
int inventory_read(const char *text, const char *file, struct inventory *ret,
		   struct err *err);
void inventory_clear(struct inventory *inventory);

/* Add to *npu (phy_id says which) the facts of a device of that node that it
 * lacks. Returns 0, also when there are none; -1 with FILE:LINE when a value
 * is wrong, or a fact is told twice. */
int inventory_find(const struct inventory *inventory, const char *node,
		   struct npu *npu, struct err *err);

/* The devices of a node that any line names, in ascending order. */
void inventory_ids(const struct inventory *inventory, const char *node,
		   struct idlist *ret);

/* The line or lines of a node with these devices, each with a newline; for the
 * caller to free, NULL when out of memory. Devices without a fact are left
 * out. */
char *inventory_format(const char *node, const struct npu *npu, unsigned n);

/*
 * The super pod or NVLink domain of each node of a step, as the administrator's
 * inventory tells it: known before anything starts.
 */

enum inventory_domain { INVENTORY_POD, INVENTORY_NVLINK, INVENTORY_DOMAINS };

struct inventory_domains {
	unsigned n;
	char **name[INVENTORY_DOMAINS]; /* by node; NULL: no line tells it;
					   owned */
};

/* What a kind is called: "super pod", "NVLink domain". */
const char *inventory_domain_word(enum inventory_domain kind);

/* Read the inventory's `text` for the nodes of the host list `nodes`; a node
 * whose devices have different super pods is in the first one. Fails with
 * FILE:LINE when a line isn't as above, when `nodes` is no host list,
 * and when out of memory. inventory_domains_clear(ret) afterwards. */
int inventory_domains_read(const char *text, const char *file,
			   const char *nodes, struct inventory_domains *ret,
			   struct err *err);
void inventory_domains_clear(struct inventory_domains *domains);
