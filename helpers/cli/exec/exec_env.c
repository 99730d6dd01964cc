/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/exec/exec.h"

#include "core/base/envset.h"

#include <stdlib.h>
#include <string.h>

int exec_env_set(void *unused, const char *name, const char *value,
		 struct err *err)
{
	(void)unused;
	if (!value)
		return unsetenv(name) < 0 ? err_memory(err) : 0;
	if (strlen(name) + strlen(value) + 2 > ENV_STRING_MAX)
		return err_printf(
			err, "%s has %zu bytes, but the kernel allows %zu",
			name, strlen(value), ENV_STRING_MAX - 2 - strlen(name));
	return setenv(name, value, 1) < 0 ? err_memory(err) : 0;
}
