/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/record/record_folder.h"

#include <stdio.h>
#include <stdlib.h>

char *record_state_folder(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	char *path = NULL;
	int rc = -1;

	if (state && *state == '/')
		rc = asprintf(&path, "%s/dist-train", state);
	else if (home && *home == '/')
		rc = asprintf(&path, "%s/.local/state/dist-train", home);
	return rc < 0 ? NULL : path;
}
