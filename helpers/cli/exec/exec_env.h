/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_HELPERS_CLI_EXEC_EXEC_ENV_H
#define DT_HELPERS_CLI_EXEC_EXEC_ENV_H

#include "core/base/err.h"

/* Set a variable of this process, as task/task.h takes it; `unused` is. */
int exec_env_set(void *unused, const char *name, const char *value,
		 struct err *err);

#endif
