/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `dist-train devices` for machines.
 */
#ifndef DT_HELPERS_CLI_NODE_JSON_DEVICES_H
#define DT_HELPERS_CLI_NODE_JSON_DEVICES_H

#include "core/ascend/npu.h"
#include "core/base/err.h"

#include <stdbool.h>
#include <stdio.h>

/* Print a node's devices as one object: node, devices (each with device and,
 * where known, addresses, super_device_id, super_pod_id, chip, and where each
 * comes from), and sources. `how` is one line for each source. Fails when out
 * of memory. */
int json_devices(FILE *f, const char *node, const struct npu *npu, unsigned n,
		 const char *how, struct err *err);

#endif
