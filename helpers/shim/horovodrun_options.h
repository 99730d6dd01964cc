/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of horovodrun: OPTION... PROGRAM [ARG]... */
#pragma once

#include "core/base/err.h"

struct horovodrun_options {
	char asked[128];      /* "-np 8 -H localhost:8", as far as given */
	const char *mpi_args; /* for mpirun; "" when not given */
	char *const *program; /* it and its arguments */
};

/* Options that say where and how to connect are taken and mean nothing. Fails
 * on those that something else would have to be done for, on unknown ones and
 * without a program. All is borrowed from argv. */
int horovodrun_options_read(int argc, char *argv[],
			    struct horovodrun_options *ret, struct err *err);

/* Call `set` for each -x NAME=VALUE of mpirun's arguments, which are read as a
 * shell does, quotes removed; -x NAME alone passes what is there anyway.
 * Returns 0, or -1 when memory or a quote is missing, or `set` fails. */
int horovodrun_exports(const char *mpi_args,
		       int (*set)(const char *name, const char *value),
		       struct err *err);
