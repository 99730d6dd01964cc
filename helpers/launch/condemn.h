/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_HELPERS_LAUNCH_CONDEMN_H
#define DT_HELPERS_LAUNCH_CONDEMN_H

struct launch;

/* This launcher's node must have no place in the next round; `why` begins after
 * the node's name. With recovery only. */
void launch_condemn(struct launch *l, const char *why);

#endif
