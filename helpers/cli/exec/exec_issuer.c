/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/cleanup.h"
#include "core/facts/handover.h"
#include "helpers/auth/auth.h"
#include "helpers/auth/sack.h"
#include "helpers/cli/exec/exec.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CONFIG_SIZE (256U << 10)

/* Whatever it is worth: Slurm's controller is asked where there is one alone,
 * and not by each task of each cluster. */
static bool has_socket(void)
{
	char path[SACK_PATH_SIZE];

	if (getenv(SACK_VARIABLE))
		return true;
	for (unsigned try = 0;
	     sack_path(getenv("SLURM_CLUSTER_NAME"), try, path); try++)
		if (access(path, F_OK) == 0)
			return true;
	return false;
}

void exec_issuer(char ret[EXEC_ISSUER_SIZE])
{
	cleanup_free char *text = has_socket() ? malloc(CONFIG_SIZE) : NULL;
	char word[AUTH_WORD_MAX];
	struct auth auth = {0};

	if (text && exec_scontrol("config", NULL, text, CONFIG_SIZE) == 0)
		auth_of_config(text, &auth);
	auth_write(&auth, word);
	snprintf(ret, EXEC_ISSUER_SIZE, "%s%s",
		 auth.by_slurm ? HANDOVER_MEET : HANDOVER_BY_MUNGE,
		 auth.by_slurm ? word : "");
}
