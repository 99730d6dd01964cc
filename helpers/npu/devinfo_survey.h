/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All that is asked about a node's NPUs, before it is judged: the inside of
 * devinfo_read().
 */
#ifndef DT_HELPERS_NPU_DEVINFO_SURVEY_H
#define DT_HELPERS_NPU_DEVINFO_SURVEY_H

#include "core/ascend/npu.h"
#include "helpers/npu/devinfo.h"

#include <stdbool.h>
#include <stdint.h>

#define DEVINFO_CONF "/etc/hccn.conf"

/* What the device itself says, and what files say of it. */
enum { VIEW_DRIVER, VIEW_CONF, VIEW_INVENTORY, NVIEWS };

/* note: why a source said nothing, or less than all; or "". */
struct survey {
	const struct devinfo_options *options;
	uint64_t deadline_ms;
	unsigned n;
	struct npu *view[NVIEWS];
	bool asked[NPU_SOURCES], had[NPU_SOURCES];
	struct err note[NPU_SOURCES];
};

/* Read the two files. A fault of hccn.conf is a note; one of the inventory an
 * error, for the administrator has named it. */
void survey_conf(struct survey *survey);
int survey_inventory(struct survey *survey, struct err *err);

/* One line for each source, where these are wanted. */
void survey_tell(const struct survey *survey);

/* Compare the views, warn, and take from them what the key asks for. */
int survey_merge(const struct survey *survey, struct npu *ret, struct err *err);

#endif
