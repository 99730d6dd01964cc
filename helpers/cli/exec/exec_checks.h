/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_HELPERS_CLI_EXEC_EXEC_CHECKS_H
#define DT_HELPERS_CLI_EXEC_EXEC_CHECKS_H

#include "core/base/err.h"
#include "core/facts/job.h"
#include "core/option/option.h"
#include "core/plan/resolve.h"

/* Refuse what isn't a task of an ordinary step; shows the line to write. */
int exec_check_place(struct err *err);

/* Refuse a step that has --dist-train or an exec already. */
int exec_check_first(const struct job *job, struct err *err);

/* Refuse what only the plugin in srun can do; each error has the cure. */
int exec_check_request(const struct request *request,
		       const struct resolved *resolved, struct err *err);

#endif
