/* SPDX-License-Identifier: Apache-2.0 */
/* The CPUs of this process. */
#ifndef DT_SYS_CPUS_H
#define DT_SYS_CPUS_H

/* How many it may use; 0 where these are all of the machine's. Reads a file of
 * sysfs. */
unsigned cpus_if_bound(void);

#endif
