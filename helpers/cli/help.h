/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What dist-train says about one of its commands, and what stands behind them.
 */
#ifndef DT_HELPERS_CLI_HELP_H
#define DT_HELPERS_CLI_HELP_H

#include "core/plan/dialect.h"
#include "helpers/cli/command.h"
#include "registry/registry.h"

#include <stdio.h>

/* One command: usage, options, an example. */
void help_on(FILE *f, const struct command *command);

/* A dialect, with the frameworks that it has. */
void help_dialect(FILE *f, const struct dialect *dialect);

/* The administrator's arguments. */
void help_arguments(FILE *f);

#endif
