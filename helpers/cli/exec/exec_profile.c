/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/exec/exec.h"

#include "core/base/cleanup.h"
#include "core/facts/handover.h"
#include "core/option/profile.h"
#include "paths.h"
#include "sys/helper_path.h"
#include "sys/profile_dir.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The user's, that of a bundle, or the installed one. */
static const char *find_folder(char buf[PATH_MAX])
{
	const char *config = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");

	if (config && *config == '/')
		snprintf(buf, PATH_MAX, "%s/dist-train/profiles", config);
	else
		snprintf(buf, PATH_MAX, "%s/.config/dist-train/profiles",
			 home ? home : "");
	if (access(buf, X_OK) == 0)
		return buf;
	helper_path("profiles", buf);
	return access(buf, X_OK) == 0 ? buf : PROFILES;
}

int exec_profile_put(const struct request *request, struct err *err)
{
	const char *names = request_text(request, KEY_PROFILE);
	cleanup_free char *text = NULL;
	char folder[PATH_MAX];

	if (!names)
		return 0;
	text = profile_dir_read(find_folder(folder), names, err);
	if (!text)
		return -1;
	profile_trim(text);
	return exec_env_set(NULL, HANDOVER_PROFILE, *text ? text : NULL, err);
}
