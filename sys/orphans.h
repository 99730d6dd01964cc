/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Children whose parents have ended and that came to this process
 * (PR_SET_CHILD_SUBREAPER).
 */
#ifndef DT_SYS_ORPHANS_H
#define DT_SYS_ORPHANS_H

/* SIGKILL to all children of this process, until nobody is left. */
void orphans_end(void);

#endif
