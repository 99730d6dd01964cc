/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_HELPERS_LAUNCH_START_STEP_H
#define DT_HELPERS_LAUNCH_START_STEP_H

#include "core/base/err.h"
#include "sys/subprocess.h"

#include <stddef.h>

/* For the session, with the launcher (session_options.start): start
 * dist-train-step. It ends with this launcher. */
int start_step(void *launch, int listen_fd, struct subprocess *ret,
	       struct err *err);

/* Its facts, for a controller that srun has started (session_options.facts). */
char *step_facts(void *launch, size_t *ret_n);

#endif
