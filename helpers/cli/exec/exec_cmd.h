/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dist-train exec FRAMEWORK[,KEY=VALUE]... [--] PROGRAM [ARG]...
 *
 * What `srun --dist-train=...` does, on a cluster that doesn't have the plugin:
 * each task of a plain srun runs it, as the user, and it becomes the user's
 * program or the launcher. It waits for no other task; what only srun could
 * know, the launchers ask each other.
 *
 * exec_cmd.h	the command: is this a task of srun, is it the first one of us
 * exec_facts.c	what srun's side of the plugin would have handed over
 * exec_npus.c	the same of NPUs
 * exec_profile.c	the user's profiles; exec_scontrol.c asks Slurm
 * exec_checks.c	what can't be had without srun's side
 * exec_start.c	the plan, and what this process becomes
 * exec_sweep.c	what killed launchers have left on this node
 *
 * The plan, the checks and the hand-over to the launcher are task/, which the
 * plugin calls, too.
 */
#ifndef DT_HELPERS_CLI_EXEC_EXEC_CMD_H
#define DT_HELPERS_CLI_EXEC_EXEC_CMD_H

#include "core/base/err.h"

/* Returns only when it fails (its error has been shown where it is to be) or
 * when help is asked for; a command's status (helpers/cli/command.h). */
int exec_cmd(int argc, char *argv[], struct err *err);

#endif
