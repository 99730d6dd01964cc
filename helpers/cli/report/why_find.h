/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DT_HELPERS_CLI_WHY_WHY_FIND_H
#define DT_HELPERS_CLI_WHY_WHY_FIND_H

#include "core/base/err.h"
#include "helpers/cli/report/record_reader.h"

/* What the user asks for. */
struct why_wish {
	const struct step_name *step; /* NULL: the newest one */
	const char *folder; /* --record; NULL: the user's state folder */
	unsigned long job;  /* as Slurm knows it; 0: it doesn't */
};

/* Read the newest record that is meant: of the job's last life and step, where
 * none is named. *ret_path is where it is (or, on failure, where it was looked
 * for), *ret_text what is in it; both are the caller's. Returns 0; 1: there is
 * none, with both NULL or a path; or -1. */
int why_find(const struct why_wish *wish, char **ret_path, char **ret_text,
	     struct err *err);

#endif
