/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This host's network interfaces, asked of the kernel: getifaddrs(), and one
 * ioctl each. Opens no file, sends no packet. slurmstepd calls it once per node
 * and step.
 */
#ifndef DT_SYS_INTERFACES_H
#define DT_SYS_INTERFACES_H

#include "core/base/err.h"
#include "core/base/interface.h"

/* Those that are up and have an address. Returns 0, or -1 when the kernel
 * doesn't tell; *ret is then empty. */
int interfaces_find(struct interfaces *ret);

/* In the container of a step of several nodes: fails where it has no interface
 * but loopback, so that `node`, borrowed, reaches no other node. */
int interfaces_reach_nodes(const char *node, struct err *err);

#endif
