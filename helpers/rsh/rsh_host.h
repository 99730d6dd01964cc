/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which node of the step a host of a command line is.
 */
#ifndef DT_HELPERS_RSH_RSH_HOST_H
#define DT_HELPERS_RSH_RSH_HOST_H

#include "core/base/err.h"
#include "core/base/hostlist.h"

/* By NodeName, or by an address: of the list that srun has made, or that the
 * name resolves to. Fails when it is none of the step's nodes. */
int rsh_host_find(const char *host, char ret[HOSTLIST_NAME_MAX],
		  struct err *err);

/* The address under which the step's nodes reach this one, as a number.
 * Returns 0 or -1. */
int rsh_host_own(char *ret, unsigned size, struct err *err);

#endif
