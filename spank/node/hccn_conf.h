/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pass the addresses in /etc/hccn.conf to the job's user. The driver's
 * installer makes the file readable for root only. Where the driver's library
 * and tool can't be used, it is the only source of device addresses.
 */
#ifndef DT_SPANK_NODE_HCCN_CONF_H
#define DT_SPANK_NODE_HCCN_CONF_H

#include "core/base/err.h"

#include <slurm/spank.h>

/* In slurmstepd, as root: the text of the file with its lines of addresses
 * alone (hccn_conf_keep_addresses()), to be freed; NULL when there is no file,
 * when it isn't a regular file of root's of at most HCCN_CONF_MAX bytes of
 * text, or when memory is short. The helper finds out what that means. No other
 * path is ever opened, no link followed, nothing waited for. */
char *hccn_conf_read(void);

/* In a task's own process, as the user: hand the text to the launcher, as a
 * sealed file in memory that is inherited under the number in HANDOVER_HCCN.
 * NULL hands over nothing. */
int hccn_conf_hand_over(spank_t sp, const char *text, struct err *err);

#endif
