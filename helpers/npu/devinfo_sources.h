/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sources of devinfo.c, one function each. Each adds to npu[n] the facts
 * that a device lacks, and writes what it has met into `note`.
 */
#ifndef DT_HELPERS_NPU_DEVINFO_SOURCES_H
#define DT_HELPERS_NPU_DEVINFO_SOURCES_H

#include "core/ascend/npu.h"
#include "helpers/npu/devinfo.h"

#include <stdbool.h>
#include <stdint.h>

#define DEVINFO_CALL_MS 10000 /* for one answer of the driver */

/* In the note of a source for which the others have left nothing. */
#define DEVINFO_NO_TIME "not asked: the time of the key timeout is over"

struct devinfo_query {
	const struct devinfo_options *options;
	uint64_t deadline_ms; /* on the clock of loop_now_ms() */
	struct npu *npu;
	unsigned n;
	struct err note; /* why it said nothing, or less than all; or "" */
};

/* How long one call may take: never more than half of what is left. */
int devinfo_call_ms(const struct devinfo_query *query);

/* A path of the driver below the root; fails when it is too long. */
int devinfo_path(const char *root, const char *path, char *buf, size_t size);

/* Returns 0; -1 when the source can't be had (the note says why). DCMI puts the
 * id of a device that the driver doesn't know into *ret_absent, else -1. */
int devinfo_dcmi(struct devinfo_query *query, int *ret_absent);
int devinfo_hccn_tool(struct devinfo_query *query);
int devinfo_npu_smi(struct devinfo_query *query);

#endif
