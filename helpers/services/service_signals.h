/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_HELPERS_SERVICES_SERVICE_SIGNALS_H
#define DT_HELPERS_SERVICES_SERVICE_SIGNALS_H

/* Ignore Slurm's signals, which go to every process of a step: the ranks may
 * still need the service while they end. SIGTERM of the parent ends it, and so
 * does the parent's end. For the begin of main(). */
void service_leave_signals(void);

#endif
