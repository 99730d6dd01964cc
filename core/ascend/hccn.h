/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the vendor's tools write about NPUs: /etc/hccn.conf, the output of
 * `hccn_tool -i N -ip [-inet6] -g`, and that of `npu-smi info -t spod-info` and
 * `npu-smi info -m`. The formats are those of the driver's own source.
 */
#pragma once

#include "core/ascend/npu.h"
#include "core/base/idlist.h"

#define HCCN_CONF_MAX 1024000 /* bytes of a file that the driver reads */
#define HCCN_LINE_MAX 384     /* bytes of a line, with its end */

/* The address of a device in the text of hccn.conf: its IPv4 address, else its
 * IPv6 address. The key must match exactly, the first line wins, nothing is
 * trimmed. Returns 0, also when there is none (addr_from stays nowhere); -1
 * when the line holds no usable address, with FILE:LINE in the error. */
int hccn_conf_find(const char *text, const char *file, unsigned phy_id,
		   struct npu *npu, struct err *err);

/* The numbers of all address keys, for a remark; at most IDLIST_MAX. */
void hccn_conf_ids(const char *text, struct idlist *ret);

/* Empty all lines of hccn.conf but those with addresses; lines keep their
 * numbers. */
void hccn_conf_keep_addresses(char *text);

enum hccn_answer {
	HCCN_ADDRESS, /* added to the device */
	HCCN_NONE,    /* none is configured */
	HCCN_BUSY,    /* another call runs: try again */
	HCCN_FAILED,  /* the error says why */
};

/* Judge what hccn_tool has printed on both streams; its exit status says
 * nothing. Addresses are the lines that begin with "ipaddr:", one for each
 * port, or with "ipv6_address:". */
enum hccn_answer hccn_tool_answer(const char *output, struct npu *npu,
				  struct err *err);

/* A device in the words of npu-smi. */
struct npu_smi_row {
	bool by_phy_id; /* npu_id and chip_id are this device's */
	unsigned npu_id, chip_id;
	enum chip chip;
};

/* Find a device in the output of `npu-smi info -m`. Columns are known by their
 * names. A table without physical ids tells the generation alone, if it is the
 * same in all rows. Returns 0, or -1 when the text has no such row. */
int npu_smi_map(const char *output, unsigned phy_id, struct npu_smi_row *ret);

/* Super device id and super pod id from `npu-smi info -t spod-info`. Returns
 * 0, or -1 when there are none. */
int npu_smi_spod(const char *output, struct npu *npu);
