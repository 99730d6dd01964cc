/* SPDX-License-Identifier: Apache-2.0 */
#include "core/ascend/chip.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct chip_facts facts[CHIP_COUNT] = {
	[CHIP_UNKNOWN] = {.name = "unknown", .max_device = 63, .pods = true},
	[CHIP_310P] = {.name = "310P",
		       .max_device = 31,
		       .equal_servers = true,
		       .address_over_servers = true},
	[CHIP_910A] = {.name = "910A",
		       .max_device = 7,
		       .equal_servers = true,
		       .address_over_servers = true},
	[CHIP_910B] = {.name = "910B",
		       .max_device = 15,
		       .address_over_servers = true},
	[CHIP_910C] = {.name = "910C", .max_device = 15, .pods = true},
	[CHIP_950] = {.name = "950", .max_device = 63},
};

const struct chip_facts *chip_facts(enum chip chip)
{
	if ((unsigned)chip >= CHIP_COUNT)
		chip = CHIP_UNKNOWN;
	return &facts[chip];
}

int chip_parse(const char *text, enum chip *ret)
{
	for (int i = CHIP_UNKNOWN + 1; i < CHIP_COUNT; i++)
		if (!strcmp(facts[i].name, text)) {
			*ret = (enum chip)i;
			return 0;
		}
	return -1;
}

bool chip_takes_count(enum chip chip, size_t n)
{
	return chip != CHIP_910A || (n <= 8 && (n & (n - 1)) == 0);
}

bool chip_takes_set(enum chip chip, uint64_t mask)
{
	/* HCCL_AISERVER_VAILD_4P_RANKS of the library */
	static const uint8_t four[] = {0x0f, 0xf0, 0x33, 0x55,
				       0x99, 0x66, 0xaa, 0xcc};

	unsigned n = 0;

	for (uint64_t rest = mask; rest; rest &= rest - 1)
		n++;
	if (chip != CHIP_910A || n != 4)
		return true;
	for (size_t i = 0; i < COUNT(four); i++)
		if (mask == four[i])
			return true;
	return false;
}
