/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A SPANK plugin for the suite. Loaded before the one under test it makes
 * srun's hand-over look like another release's: the version before the colon
 * is replaced by the plugin's argument.
 */
#include <slurm/spank.h>
#include <stdio.h>
#include <string.h>

SPANK_PLUGIN(variable, 1)

int slurm_spank_task_init(spank_t sp, int argc, char **argv);

int slurm_spank_task_init(spank_t sp, int argc, char **argv)
{
	static const char name[] = "SLURM_DIST_TRAIN_HANDOVER";
	char value[64], changed[128];
	const char *colon;

	if (argc != 1 || spank_getenv(sp, name, value, sizeof(value)) != 0)
		return 0;
	colon = strchr(value, ':');
	snprintf(changed, sizeof(changed), "%s%s", argv[0], colon ? colon : "");
	spank_setenv(sp, name, changed, 1);
	return 0;
}
