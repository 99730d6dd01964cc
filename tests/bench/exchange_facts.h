/* SPDX-License-Identifier: Apache-2.0 */
/* What a member of exchange_star.c tells; for that file alone. */
#pragma once

#include "core/ascend/ranktable_row.h"

#include <stdio.h>
#include <stdlib.h>

#define ROW_MAX 200

static void die(const char *what)
{
	fprintf(stderr, "exchange_star: %s\n", what);
	exit(1);
}

/* The piece of a node of an A2: no folder, and its rows. */
static size_t facts_of(unsigned number, unsigned nrows, char *text)
{
	char *at = text;

	*at++ = '\0';
	for (unsigned i = 0; i < nrows; i++) {
		char node[32], ip[32], line[RANKTABLE_LINE_MAX];
		struct ranktable_row row = {
			.rank = number * nrows + i,
			.device_id = i,
			.chip = CHIP_910B,
			.node = node,
			.server_id = node,
			.device_ip = ip,
		};
		struct err err;

		snprintf(node, sizeof(node), "node%05u", number);
		snprintf(ip, sizeof(ip), "29.%u.%u.%u", 1 + number / 256,
			 number % 256, 10 + i);
		if (ranktable_row_format(&row, line, sizeof(line), &err) < 0)
			die(err.text);
		at += sprintf(at, "%s\n", line);
	}
	return (size_t)(at - text);
}
