/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of one Ascend NPU, and where each fact comes from.
 */
#pragma once

#include "core/ascend/chip.h"
#include "core/base/err.h"
#include "core/base/ip.h"

#include <stddef.h>

#define NPU_ID_MAX    64 /* largest physical id: that of a rank table 2.0 */
#define NPU_ADDRS_MAX 8
#define NPU_POD_SIZE  128	  /* a super pod's name with its NUL */
#define NPU_SDID_MAX  0xfffffffeL /* the driver says all ones for none */

enum npu_source {
	NPU_FROM_NOWHERE,
	NPU_FROM_DCMI,
	NPU_FROM_HCCN_TOOL,
	NPU_FROM_HCCN_CONF,
	NPU_FROM_INVENTORY,
	NPU_FROM_NPU_SMI,
	NPU_SOURCES,
};

/* A fact is there when its source isn't NPU_FROM_NOWHERE. */
struct npu {
	unsigned phy_id; /* N of /dev/davinciN */
	enum npu_source addr_from, sdid_from, pod_from, chip_from;
	unsigned naddrs;
	char addr[NPU_ADDRS_MAX][IP_TEXT_SIZE]; /* as ip_format() has it */
	unsigned long sdid;			/* super device id, 32 bits */
	char pod[NPU_POD_SIZE];			/* super pod */
	enum chip chip;
};

/* "dcmi", "hccn-tool", ... as in the key devices-from; "" for nowhere. */
const char *npu_source_name(enum npu_source source);

/* From the name of chip_facts(), "unknown" too; -1 for others. */
int npu_chip_of_name(const char *name, enum chip *ret);

/* The generation from what the driver calls the chip ("910B3", "Ascend
 * 910_9391"). A bare "910" and "910B" are unknown: several generations have
 * had these names. */
enum chip npu_chip_of_driver(const char *name);

/* Add an address of `len` bytes in its one spelling; one that is there already
 * isn't added again. Fails on text that is no address, on one that no device
 * can have, and on more than NPU_ADDRS_MAX. */
int npu_add_addr(struct npu *npu, const char *text, size_t len,
		 struct err *err);

/* Take from `more` the facts that *npu lacks. */
void npu_complete(struct npu *npu, const struct npu *more);
