/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_SYS_HELPER_DIR_H
#define DT_SYS_HELPER_DIR_H

/* The folder of our helper programs: the configured one, until
 * helper_dir_own() was called. Never NULL. */
const char *helper_dir(void);

/* From now on it is the folder of this very program (/proc/self/exe), as in a
 * bundle that was unpacked anywhere. Without /proc it stays as it was. */
void helper_dir_own(void);

#endif
