/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces gpu_nvml.c in static programs, which can't open the driver's
 * library. */
#include "helpers/gpu/gpu.h"

int gpu_nvml(const char *root, int limit_ms, struct gpus *gpus)
{
	(void)root;
	(void)limit_ms;
	(void)gpus;
	return -1;
}

int gpu_use(const char *root, struct gpu_use ret[GPUS_MAX])
{
	(void)root;
	(void)ret;
	return -1;
}
