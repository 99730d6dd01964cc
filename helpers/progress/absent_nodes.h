/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_HELPERS_PROGRESS_ABSENT_NODES_H
#define DT_HELPERS_PROGRESS_ABSENT_NODES_H

#include "helpers/conn/connections.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Who is here: members that are connected, and who they are connected to. */
struct present {
	const struct connections *all;
	const char *node; /* his; NULL: he is no member */
};

/* Write the names of at most `max` nodes of the list (Slurm's; or NULL) from
 * which no member has come, and how many more there are. Returns how many in
 * all. */
unsigned absent_nodes(const struct present *here, const char *nodes,
		      unsigned max, FILE *f);

/* All are borrowed. */
struct absence {
	struct present here;
	unsigned ntasks;   /* members; */
	bool by_node;	   /* one for each node, and not for each task */
	const char *nodes; /* Slurm's list of the step's, or NULL */
	long after_s;
	const char *means; /* what that means for the step: "; ...", or "" */
};

/* "dist-train: after 60 s the launchers of 2 of 16 tasks ...; silent nodes:
 * ..." as a line with its newline: the nodes of the step from which no member
 * has come, as far as they fit. False when all are here. */
bool absent_line(const struct absence *absence, char *buf, size_t size);

#endif
