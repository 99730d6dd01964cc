/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_CORE_OPTION_RESTART_H
#define DT_CORE_OPTION_RESTART_H

#include "core/option/option.h"

#include <stdbool.h>

/* Whether a failure with this exit code (128 + signal) triggers a restart, by
 * the key restart-on. The default is torchrun's: any failure, since a broken
 * connection is an exception, exit code 1; but not those of a shell that can't
 * start a program. `signal' is the ExitCode policy of Kubeflow's training
 * operator: 1 to 127 are permanent errors of the program, 128 and above come
 * from outside. A hang is worth one where the key hang says so. */
bool restart_is_worth(const struct request *request, int code);

/* What it takes, for a person: "restart-on=signal (128 and above)". Returns
 * buf. */
#define RESTART_ON_SIZE 128
const char *restart_on_text(const struct request *request,
			    char buf[RESTART_ON_SIZE]);

#endif
