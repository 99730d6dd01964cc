/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command line as ssh takes it.
 */
#ifndef DT_HELPERS_RSH_RSH_OPTIONS_H
#define DT_HELPERS_RSH_RSH_OPTIONS_H

#include "core/base/err.h"

#include <stdbool.h>

struct rsh_options {
	const char *host; /* without user@; in argv */
	bool no_input;	  /* -n */
	char *command;	  /* the words after the host, with blanks between,
			     as ssh sends them; the caller's to free */
};

/* Options may stand before and after the host; those that say how to connect,
 * and as whom, mean nothing here. Fails when one is unknown, when there is no
 * host, or when out of memory. */
int rsh_options_read(int argc, char *argv[], struct rsh_options *ret,
		     struct err *err);

#endif
