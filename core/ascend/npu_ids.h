/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From Slurm's index of an NPU to its physical id, which is the N of
 * /dev/davinciN, and to the number by which a process opens it.
 */
#pragma once

#include "core/base/err.h"
#include "core/base/idlist.h"

#include <stdbool.h>

/* The id in a name of /dev: "davinci10" is 10; false for "davinci_manager" and
 * all else. */
bool npu_id_of_name(const char *name, unsigned short *ret);

/* What a node shows of its NPUs, both in ascending order. */
struct npu_nodes {
	struct idlist present; /* there is a /dev/davinciN */
	struct idlist allowed; /* and this process may open it */
};

/* Fails when one of these physical ids isn't there; the error names it. */
int npu_ids_check(const struct idlist *ids, const struct npu_nodes *nodes,
		  const char *node, struct err *err);

/* The physical ids of the devices that have Slurm's indices `gres`. Slurm
 * counts the files of gres.conf, the ids are their numbers: the same where ids
 * are 0 to n-1. Elsewhere:
 *   - a device cgroup leaves exactly as many as Slurm gave: these, in order;
 *   - an index that no n devices can have: a container that shows a part of
 *     the node under its own numbers, so ids are indices;
 *   - all n devices of the node were given: these, in order;
 *   - else the two can't be told apart: refused, with the remedy.
 * Fails when a device isn't there; the error names it. */
int npu_ids_of_gres(const struct idlist *gres, const struct npu_nodes *nodes,
		    const char *node, struct idlist *ret, struct err *err);

/* Each id's position among those that a process sees, as the runtime counts
 * them: the number that ASCEND_RT_VISIBLE_DEVICES and set_device() take.
 * `visible` is the text of that variable, or NULL: positions in it. Fails when
 * a device isn't among them. */
int npu_ids_visible(const struct idlist *ids, const struct npu_nodes *nodes,
		    const char *visible, struct idlist *ret, struct err *err);
