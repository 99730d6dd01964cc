/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The step's certificate and its key as files, for services that speak TLS
 * (helpers/conn/step_cert.h). start_service.c makes them, when it has made the
 * secret.
 */
#ifndef DT_HELPERS_FILES_CERT_FILES_H
#define DT_HELPERS_FILES_CERT_FILES_H

#include "core/base/err.h"
#include "core/plan/plan.h"

#include <limits.h>

struct cert_files {
	char cert[PATH_MAX], key[PATH_MAX]; /* "": not made */
};

/* Make them in `dir`, for the user alone, of the services' secret; with this
 * node's address where the plan has all of them (NEEDS_PEERS). Fails when the
 * address isn't known or no IP address, or a file can't be written. */
int cert_files_make(const char *dir, const char *secret,
		    const struct plan *plan, struct cert_files *ret,
		    struct err *err);

/* Put their names into the plan, if they were made. */
void cert_files_tell(const struct cert_files *files, struct plan *plan);

#endif
