/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/exec/exec.h"

#include "core/base/cleanup.h"
#include "core/facts/handover.h"
#include "sys/folder.h"
#include "sys/kept/marked_folder.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

/* Whether a launcher names its folder so: PREFIX JOB.STEP.REQUEUE-... */
static bool is_run_dir(const char *name)
{
	unsigned long job, step;
	unsigned requeue;
	char dash;

	return sscanf(name, RUN_DIR_PREFIX "%lu.%lu.%u%c", &job, &step,
		      &requeue, &dash) == 4 &&
	       dash == '-';
}

static void sweep_one(void *unused, int base, const char *name)
{
	(void)unused;
	if (is_run_dir(name))
		marked_folder_remove(base, name, getuid());
}

void exec_sweep(void)
{
	cleanup_close int base =
		open(RUN_DIR_DEFAULT, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (base >= 0 && folder_keeps_names(base))
		folder_each(base, sweep_one, NULL);
}
