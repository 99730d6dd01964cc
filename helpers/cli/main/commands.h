/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands of dist-train, for its main, for help, which is one of them, and
 * for what is made of them: completion, the manual's list.
 */
#pragma once

#include "helpers/cli/command.h"

#include <stdio.h>

/* All of them in the order of the help (commands.def); ends with NULL. */
extern const struct command *const commands[];

/* The command of that name; NULL: there is none. */
const struct command *command_find(const char *name);

/* The name of number n; NULL: there are fewer. */
const char *command_nth(size_t n);

/* What dist-train is, and its commands: 25 lines. */
void help_overview(FILE *f);
