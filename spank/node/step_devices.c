/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/node/node.h"

#include "core/base/cleanup.h"
#include "core/facts/device.h"
#include "core/facts/handover.h"
#include "spank/slurm/step_job.h"

#include <stdio.h>

int step_devices_keep(spank_t sp, struct err *err)
{
	const char *gpus = job_getenv(sp, "SLURM_STEP_GPUS");

	spank_unsetenv(sp, HANDOVER_VISIBLE);
	if (job_setenv(sp, HANDOVER_GPUS, gpus, err) < 0)
		return -1;
	if (!gpus)
		return 0;
	for (int i = 0; device_variables[i]; i++) {
		const char *seen = job_getenv(sp, device_variables[i]);
		cleanup_free char *pair = NULL;

		if (!seen)
			continue;
		if (asprintf(&pair, "%s=%s", device_variables[i], seen) < 0)
			return err_memory(err);
		return job_setenv(sp, HANDOVER_VISIBLE, pair, err);
	}
	return 0;
}
