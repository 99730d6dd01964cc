/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_CORE_OPTION_RESTART_H
#define DT_CORE_OPTION_RESTART_H

#include "core/option/option.h"

#include <stdbool.h>

/* Whether a failure with this exit code (128 + signal) triggers a restart, by
 * the key restart-on. The default is the ExitCode policy of Kubeflow's training
 * operator: 1 to 127 are permanent errors of the program, 128 and above come
 * from outside. A hang is worth one where the key hang says so. */
bool restart_is_worth(const struct request *request, int code);

#endif
