/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A row of an Ascend rank table: one process, its device, and how the others
 * reach it; and the line of text in which nodes send rows to each other.
 */
#pragma once

#include "core/ascend/chip.h"
#include "core/base/err.h"

#include <stdbool.h>
#include <stdint.h>

#define RANKTABLE_RANKS_MAX 262144
#define RANKTABLE_LINE_MAX  2048 /* one line with its NUL */

/* Texts are printable ASCII without blanks, quotes and backslashes; what they
 * mean is judged by ranktable_check(). */
struct ranktable_row {
	unsigned rank;	    /* below RANKTABLE_RANKS_MAX */
	unsigned device_id; /* physical, up to 65535 */
	enum chip chip;	    /* CHIP_UNKNOWN where nobody knows */
	bool rank_unknown;  /* these two: to a file that doesn't say */
	bool device_unknown;
	bool host_network;	  /* a file says net_position "host" */
	bool has_super_device;	  /* super_device_id is known */
	uint32_t super_device_id; /* the SDID of an A3 */
	const char *node;	  /* for messages, never in the table */
	const char *server_id;	  /* up to 64 characters */
	const char *host_ip;	  /* NULL: unknown */
	const char *device_ip;	  /* NULL: unknown; several: "A,B" */
	const char *super_pod_id; /* NULL: unknown */
};

/* Whether the row keeps to the limits above. Returns 0 or -1. */
int ranktable_row_check(const struct ranktable_row *row, struct err *err);

/* Write the row as one line without newline, such as
 *	rank=3 device=3 chip=910B node=n1 server=10.0.0.1 device_ip=10.1.0.3
 * Fails as ranktable_row_check() does, and when it doesn't fit. */
int ranktable_row_format(const struct ranktable_row *row, char *buf,
			 unsigned size, struct err *err);

/* Read such a line (fields in any order, one blank between two). The line is
 * cut into pieces, and the texts of *ret lie in it. Fails on a field that is
 * unknown, repeated or missing, and as ranktable_row_check(); *ret is
 * untouched then. */
int ranktable_row_parse(char *line, struct ranktable_row *ret, struct err *err);
