/* SPDX-License-Identifier: Apache-2.0 */
/* `dist-train stack --dump`: what the communication libraries have recorded
 * (helpers/recorders/recorders.h). */
#ifndef DT_HELPERS_CLI_STACK_STACK_DUMP_H
#define DT_HELPERS_CLI_STACK_STACK_DUMP_H

#include "core/base/err.h"
#include "helpers/visit/visitor.h"

#include <stdbool.h>

/* Collect it of the step of `way`, by its ports, and print it as text or JSON
 * (doc/json.md). Returns 0, or -1 when the step can't be asked. */
int stack_dump(const struct visit *way, bool json, struct err *err);

#endif
