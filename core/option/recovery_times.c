/* SPDX-License-Identifier: Apache-2.0 */
#include "core/option/recovery_times.h"

#define BEATS	     8 /* in a lease */
#define INTERVAL_MIN 500
#define MARGIN_MS    1000

uint64_t recovery_lease_ms(long lease_s)
{
	return (uint64_t)lease_s * 1000;
}

uint64_t recovery_interval_ms(long lease_s)
{
	uint64_t ms = recovery_lease_ms(lease_s) / BEATS;

	return ms > INTERVAL_MIN ? ms : INTERVAL_MIN;
}

uint64_t recovery_fence_ms(long lease_s)
{
	uint64_t lease = recovery_lease_ms(lease_s);
	uint64_t most = lease - recovery_interval_ms(lease_s) - MARGIN_MS;
	uint64_t usual = lease - lease / 4;

	return usual < most ? usual : most;
}
