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

#define STARTER_FILES 2

struct starter_files {
	char placed[STARTER_FILES][PATH_MAX]; /* "": none */
	char table[PATH_MAX];		      /* to which they lead */
};

/* Make links to the stand-ins in `dir`. Fails when they aren't installed. */
int starter_files_link(const char *dir, const char *starter, struct err *err);

/* Place links to the rank table in the current folder, under the names that
 * the form wants for so many processes of a node. What is there already stays,
 * but for links of steps that are over. Fails when the folder takes none. */
int starter_files_place(struct starter_files *files,
			const struct dialect_form *form, unsigned nprocs,
			const char *table, struct err *err);

/* Remove those that are still ours. */
void starter_files_remove(struct starter_files *files);

#endif
