/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_HELPERS_LOOK_LOOK_DEVICES_H
#define DT_HELPERS_LOOK_LOOK_DEVICES_H

#include <stdio.h>

struct launch_view;

/* Rows of what the launcher's ranks use of their GPUs:
 *
 *	device RANK NDEVICES USED_MIB TOTAL_MIB PERCENT
 *
 * May block for ever in the driver: call it in a child. */
void devices_tell(FILE *f, const struct launch_view *v);

#endif
