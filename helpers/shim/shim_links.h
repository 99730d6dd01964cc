/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a script that starts a step's processes finds: stand-ins in the step's
 * folder, which PATH begins with, and the files that it tests for.
 */
#ifndef DT_HELPERS_SHIM_SHIM_LINKS_H
#define DT_HELPERS_SHIM_SHIM_LINKS_H

#include "core/base/err.h"
#include "core/plan/dialect.h"

#include <limits.h>

#define SHIM_LINKS 8

struct shim_links {
	char placed[SHIM_LINKS][PATH_MAX];
	unsigned n;	      /* of them */
	char table[PATH_MAX]; /* to which they lead */
};

/* Make links to the stand-ins in `dir`. Fails when they aren't installed. */
int shim_links_make(const char *dir, const char *shim, struct err *err);

/* Place links to the rank table in the current folder, under the names that
 * the form wants for so many processes of a node, and those of such files that
 * the script `argv` has in its text: up to SHIM_LINKS. What is there already
 * stays, but for links of steps that are over. Fails when the folder takes
 * none. */
int shim_links_place(struct shim_links *files, const struct dialect_form *form,
		     unsigned nprocs, const char *table, char *const argv[],
		     struct err *err);

/* Remove those that are still ours. */
void shim_links_remove(struct shim_links *files);

#endif
