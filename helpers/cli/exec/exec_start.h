/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_HELPERS_CLI_EXEC_EXEC_START_H
#define DT_HELPERS_CLI_EXEC_EXEC_START_H

#include "helpers/cli/exec/exec_facts.h"
#include "task/task.h"

/* How it failed. */
struct exec_fault {
	int status;  /* the exit code */
	bool common; /* task 0 says the same */
};

/* Make the plan of this task, and become its program (`argv`, ends with NULL)
 * with the plan's environment, or the launcher. With explain=only this process
 * prints the plan and ends. Returns only when it fails. */
int exec_start(const struct task *task, struct job *job,
	       const struct exec_learn *learn, char **argv,
	       struct exec_fault *ret, struct err *err);

/* Become the program with the environment as it is. Returns only when it fails;
 * *ret_status is the exit code then. */
int exec_program(char **argv, int *ret_status, struct err *err);

#endif
