/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one place that knows all frameworks and dialects by name. Their tables
 * are frameworks/frameworks.def, frameworks/aliases.def and
 * dialects/dialects.def; a new one is a line there, and nothing here changes.
 *
 * registry.h	the tables, and look-up by name
 * request.c	from the option's text to a whole request, for which the names
 *		have to be known
 * words_help.h	frameworks and keys as text for people
 *
 * Pure, as core/ is. It runs wherever the option is read: in srun, sbatch and
 * salloc, in slurmstepd, in the launcher and in dist-train. core/, frameworks/
 * and dialects/ never call it.
 */
#ifndef DT_REGISTRY_REGISTRY_H
#define DT_REGISTRY_REGISTRY_H

#include "core/base/err.h"
#include "core/option/config.h"
#include "core/option/option.h"
#include "core/plan/dialect.h"
#include "core/plan/framework.h"

#include <stdbool.h>
#include <stddef.h>

/* Another name of a framework. */
struct framework_alias {
	const char *name, *framework;
	const char *note; /* what to say to who uses it; NULL: nothing */
};

/* The framework of that name or alias, in any case of letters; NULL with the
 * nearest match and all names in *err. */
const struct framework *framework_find(const char *name, struct err *err);

/* The alias of that name, in any case of letters; NULL: it is none. */
const struct framework_alias *alias_find(const char *name);

/* The n-th line, from 0, to say once per step of what has been asked for:
 * "lightning: started as ddp; ...", or that of option_path_remark(). False: no
 * more. */
#define REQUEST_REMARK_SIZE 256
bool request_remark(const struct request *request, size_t n,
		    char buf[REQUEST_REMARK_SIZE]);

/* All aliases in the order of their table; NULL after the last. */
const struct framework_alias *alias_nth(size_t n);

/* All frameworks in the order of their table; NULL after the last. */
const struct framework *framework_nth(size_t n);

/* The frameworks that have the keys of a group, "ascend, mindspore", into buf;
 * returns how many. */
size_t frameworks_with_keys(unsigned group, char *buf, size_t size);

/* All dialects in the order of the words of the key `dialect`; NULL after the
 * last. */
const struct dialect *dialect_nth(size_t n);

/*
 * What was asked for, whole: the option's text and the administrator's
 * arguments, with the frameworks and dialects that they name.
 */

/* Parse the option's text. `defaults` are those of struct config or NULL;
 * `allow` the frameworks that he allows or NULL for
 * all. On success *ret is owned by the caller: request_clear(). On failure
 * *ret is untouched and the error shows the offending part. */
int request_parse(const char *text, const char *defaults, const char *allow,
		  struct request *ret, struct err *err);

/* config_parse(), and the frameworks of allow= by their own names, whether
 * they were written so or by an alias. *ret and the error as there. */
int request_config(int argc, char *const argv[], struct config *ret,
		   struct err *err);

#endif
