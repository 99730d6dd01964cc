/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/node/task_profile.h"

#include "core/base/cleanup.h"
#include "core/facts/handover.h"
#include "core/option/profile_default.h"
#include "spank/slurm/step_job.h"
#include "sys/profile_dir.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The default profiles of this node, by its partition and its features. */
static char *default_profiles(spank_t sp, const struct config *config)
{
	cleanup_free char *partition = job_getenv(sp, "SLURM_JOB_PARTITION");
	cleanup_free char *features =
		job_was_handed_over(sp) ? job_getenv(sp, HANDOVER_FEATURES)
					: NULL;
	char node[HOSTLIST_NAME_MAX];
	struct profile_place where = {
		.partition = partition,
		.features = features,
		.node = job_node_name(sp, node) == 0 ? node : NULL,
	};

	return profile_defaults(config->profiles, &where);
}

static int keep(spank_t sp, const struct config *config, const char *names,
		struct err *err)
{
	cleanup_free char *chosen = NULL, *text = NULL;

	if (!names) {
		chosen = default_profiles(sp, config);
		if (!chosen)
			return err_memory(err);
		names = chosen;
	}
	if (*names) {
		text = profile_dir_read(config->profiledir, names, err);
		if (!text)
			return -1;
	}
	return job_setenv(sp, HANDOVER_PROFILE, text, err);
}

int task_profile_keep(spank_t sp, const struct adapter *adapter,
		      struct err *err)
{
	const char *names = request_text(&adapter->request, KEY_PROFILE);
	uid_t self = geteuid();
	struct step_owner owner;
	int rc;

	if (!names && !adapter->config.profiles)
		return job_setenv(sp, HANDOVER_PROFILE, NULL, err);
	if (job_owner(sp, &owner) < 0 || seteuid(owner.uid) < 0)
		return err_printf(err, "can't become the job's user: %s",
				  strerror(errno));
	rc = keep(sp, &adapter->config, names, err);
	if (seteuid(self) < 0)
		_exit(EXIT_FAILURE);
	return rc;
}
