/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a hang. Pure. */
#pragma once

#include "core/option/key_forms.h"
#include "helpers/sample/group.h"
#include "helpers/step/samples.h"

#include <stddef.h>
#include <stdint.h>

#define REPORT_GROUPS 8 /* that are shown */

/* What is done about it. */
enum hang_follows {
	HANG_GOES_ON,
	HANG_RESTARTS,
	HANG_REPLACES,	 /* a spare takes the node's place */
	HANG_NO_RESTART, /* the step ends: it would start again, but no restart
			    is left */
	HANG_ENDS,
};

struct hang_facts {
	const struct hang *hang;
	enum hang_follows follows;
	const char *step;
	uint64_t quiet_ms, normal_ms; /* so long; the longest gap before */
	const struct samples *samples;
	struct stacks *stacks;
};

/* The lines, each with its newline; the caller's to free. NULL when out of
 * memory. */
char *hang_report(const struct hang_facts *facts);

/* The node of the first suspect; NULL: there is none. */
const char *hang_suspect(struct stacks *stacks);

/* A node that is to blame: all suspects are on it, and each is stopped or in
 * the kernel, which doesn't let it go. NULL: there is none. `why` begins after
 * the node's name. */
const char *hang_node(struct stacks *stacks, char *why, size_t size);
