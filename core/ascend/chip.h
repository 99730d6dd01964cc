/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Generations of Ascend chips, and what the collective library asks of each.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHIP_NAMES "310P 910A 910B 910C 950"

enum chip {
	CHIP_UNKNOWN,
	CHIP_310P, /* 300I Duo */
	CHIP_910A,
	CHIP_910B, /* A2 */
	CHIP_910C, /* A3, 910_93: two dies, each a device */
	CHIP_950,  /* A5 */
	CHIP_COUNT,
};

struct chip_facts {
	const char *name;	   /* as in CHIP_NAMES; "unknown" */
	unsigned max_device;	   /* highest physical id in a table */
	bool pods;		   /* can be in a super pod: tables 1.2 */
	bool equal_servers;	   /* servers must have equally many devices */
	bool address_over_servers; /* several servers: a file's parser asks for
				      device_ip; ranktable_check() always does
				    */
};

/* Never NULL; of CHIP_UNKNOWN for what isn't a chip: the widest limits. */
const struct chip_facts *chip_facts(enum chip chip);

/* One of CHIP_NAMES. Returns 0, or -1 with *ret untouched. */
int chip_parse(const char *text, enum chip *ret);

/* Whether `n` devices of one server can be in one communicator: a 910A takes
 * 1, 2, 4 or 8, as far as they have HCCS links (any three of eight do; PCIe
 * cards have none, and nothing here can tell them apart). */
bool chip_takes_count(enum chip chip, size_t n);

/* The same for the devices of `mask` (bit = physical id), where their number is
 * right. CHIP_SETS_OF_FOUR is what a 910A takes of four. */
bool chip_takes_set(enum chip chip, uint64_t mask);
#define CHIP_SETS_OF_FOUR                                                      \
	"0-3, 4-7, 0+1+4+5, 0+2+4+6, 0+3+4+7, 1+2+5+6, 1+3+5+7 or 2+3+6+7"
