/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one place that knows all frameworks and dialects by name. Their tables
 * are frameworks/frameworks.def and dialects/dialects.def; a new one is a line
 * there, and nothing here changes.
 *
 * registry.h	the tables, and look-up by name
 * request.h	from the option's text to a whole request, for which the names
 *		have to be known
 *
 * Pure, as core/ is. It runs wherever the option is read: in srun, sbatch and
 * salloc, in slurmstepd, in the launcher and in dist-train. core/, frameworks/
 * and dialects/ never call it.
 */
#ifndef DT_REGISTRY_REGISTRY_H
#define DT_REGISTRY_REGISTRY_H

#include "core/base/err.h"
#include "core/plan/dialect.h"
#include "core/plan/framework.h"

#include <stddef.h>

/* The framework of that name or alias; NULL with the nearest match and all
 * names in *err. */
const struct framework *framework_find(const char *name, struct err *err);

/* All frameworks in the order of their table; NULL after the last. */
const struct framework *framework_nth(size_t n);

/* All dialects in the order of the words of the key `dialect`; NULL after the
 * last. */
const struct dialect *dialect_nth(size_t n);

#endif
