/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/srun/srun.h"

#include "core/facts/handover.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int stale_handover_unset(struct err *err)
{
	char **e = environ;

	while (e && *e) {
		size_t n = strcspn(*e, "=");
		cleanup_free char *name = NULL;

		if (strncmp(*e, HANDOVER_PREFIX, strlen(HANDOVER_PREFIX)) !=
			    0 ||
		    !(*e)[n]) {
			e++;
			continue;
		}
		name = strndup(*e, n);
		if (name && components_have(name)) {
			e++;
			continue;
		}
		if (!name || unsetenv(name) < 0)
			return err_memory(err);
		/* the next one is at `e` now */
	}
	return 0;
}
