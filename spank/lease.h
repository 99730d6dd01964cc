/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_SPANK_LEASE_H
#define DT_SPANK_LEASE_H

/* A TCP port on which srun shows that it lives: a listening socket that srun
 * keeps until it ends and never reads. The kernel completes connections and
 * answers their keepalive probes without srun, and resets them when srun
 * ends. Returns the port, or 0 when none is to be had. Called again it returns
 * the same port. */
unsigned lease_port(void);

#endif
