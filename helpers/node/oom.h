/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How many processes of this process's memory cgroup the kernel has killed for
 * want of memory so far: oom_kill of memory.events (cgroup v2) or of
 * memory.oom_control (v1, Linux 4.13 and later). -1: not known. `root` is ""
 * but in tests. */
long oom_kills(const char *root);
