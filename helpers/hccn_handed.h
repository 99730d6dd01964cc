/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The launcher's end of spank/hccn_conf.h.
 */
#ifndef DT_HELPERS_HCCN_HANDED_H
#define DT_HELPERS_HCCN_HANDED_H

/* Take the file that the plugin has handed over, if any: close-on-exec from
 * now on, and gone from the environment. Call it before anything else is
 * opened or started. Returns the descriptor, the caller's to close, or -1. A
 * number that isn't a sealed file in memory was set by somebody else and is
 * left alone. */
int hccn_handed(void);

#endif
