/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The phase of a script that starts the step's processes. It runs once, in
 * task 0's launcher, and calls a command (the plan's start_command) that is our
 * stand-in (helpers/shim/). The stand-in tells this launcher what is to run;
 * the launcher tells the others by way of the arbiter, and waits, as they do,
 * for what comes back: MSG_EXEC_ALL. It doesn't know who starts it then.
 */
#ifndef DT_HELPERS_LAUNCH_SCRIPT_H
#define DT_HELPERS_LAUNCH_SCRIPT_H

#include <stdbool.h>

struct launch;

/* These may be called in all steps, with a script or without. */

/* The command's standard output and error, for the caller to close; untouched
 * where there is none. */
void script_take_output(struct launch *l, int *ret_out, int *ret_err);

/* All processes of the step have ended: the command gets its exit code, and
 * the script ends by itself. Returns false where no script runs here. */
bool script_answer(struct launch *l);

/* Nothing runs here any more: ends the step when the script should have started
 * something and hasn't. */
void script_check_ended(struct launch *l);

#endif
