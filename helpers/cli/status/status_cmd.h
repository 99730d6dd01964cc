/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_HELPERS_CLI_STATUS_STATUS_CMD_H
#define DT_HELPERS_CLI_STATUS_STATUS_CMD_H

#include "helpers/cli/status/looks.h"

#include <stdbool.h>

/* How a step's state is printed once. */
struct status_form {
	bool all; /* a line for each rank, however many there are */
	bool json, prometheus;
	const char *output; /* the file; NULL: standard output */
};

/* Ask the step twice, for there are rates, and print. Returns 0 or -1. */
int status_print_once(const struct looks_place *place,
		      const struct status_form *form, struct err *err);

#endif
