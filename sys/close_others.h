/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_SYS_CLOSE_OTHERS_H
#define DT_SYS_CLOSE_OTHERS_H

/* In a fork: close all files but the standard streams and the n in `kept` (-1:
 * none), so that the parent's connections, pipes and locks end with it alone.
 */
void close_others(const int *kept, unsigned n);

#endif
