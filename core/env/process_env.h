/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The environment of one process: what its framework, its dialect, the network
 * interface and the profile give, in one set.
 */
#pragma once

#include "core/base/argset.h"
#include "core/base/envset.h"
#include "core/base/err.h"
#include "core/plan/plan.h"

/* Where torch may leave an exception (helpers/files/error_file.c). */
#define ERROR_FILE_VARIABLE "TORCHELASTIC_ERROR_FILE"

/* The whole environment of one process, as a set that is not yet compared with
 * the user's. Fails where a framework can't give what it has to, and where the
 * profile sets what is true of the step, such as RANK. */
int process_env(const struct plan *plan, const struct process *process,
		struct envset *set, struct err *err);

/* The arguments that this process gets after the program's own, what
 * its framework adds and then its dialect. Free with argset_clear() in both
 * cases. */
int process_args(const struct plan *plan, const struct process *process,
		 struct argset *args, struct err *err);
