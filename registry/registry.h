/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one place that knows all frameworks and dialects by name. Their tables
 * are frameworks/frameworks.def, frameworks/aliases.def and
 * dialects/dialects.def; a new one is a line there, and nothing here changes.
 *
 * registry.c	the tables; framework_find.c look-up by name
 * request.c	from the option's text to a whole request: its framework, its
 *		dialect, and by option_pairs.c its keys
 * config.c	the same of the administrator's words in plugstack.conf
 * other_words.h	what to write instead of other tools' words
 * words_help.h	frameworks and keys as text for people
 * handed.h	what the plugin has handed over to a program of ours
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

/* All keys in the order in which they are shown, each framework's own among
 * them; NULL after the last. A name is one key's, also where several frameworks
 * have it for themselves: their tables are one then. */
const struct option_key *key_nth(size_t n);

/* The key of that name of `len` bytes, in any case of letters; or NULL. */
const struct option_key *key_find(const char *name, size_t len);

bool framework_has_key(const struct framework *framework,
		       const struct option_key *key);

/* Whether only some frameworks have it. */
bool key_is_own(const struct option_key *key);

/* The frameworks that have the key, "ascend, mindspore", into buf; returns how
 * many. */
size_t frameworks_with_key(const struct option_key *key, char *buf,
			   size_t size);

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

/* Read KEY=VALUE[,...] over what the request has, as values of that source; a
 * default of a key that its framework doesn't have is checked and left out.
 * Blanks after a comma don't count, and two commas are one of a path. Fails at
 * the first pair that is wrong; request_clear() in both cases. */
int request_pairs(const char *text, enum value_source source,
		  struct request *request, struct err *err);

/* Check a KEY=VALUE[,...] text as the administrator gives it. */
int request_check_defaults(const char *defaults, struct err *err);

/* What to say, once per step, where a key may be meant as a part of the path
 * before it: log-dir=out/seed=1,procs=3. False: nothing. */
bool option_path_remark(const struct request *request, char *buf, size_t size);

/*
 * The plugin's arguments in plugstack.conf.
 */

enum config_id {
	CONFIG_OPTION,
	CONFIG_ALLOW,
	CONFIG_DEFAULT,
	CONFIG_PORTS,
	CONFIG_ADDR,
	CONFIG_NIC,
	CONFIG_GRACE,
	CONFIG_RUNDIR,
	CONFIG_PROFILEDIR,
	CONFIG_PROFILE,
	CONFIG_INVENTORY,
	CONFIG_MPI,
	CONFIG_COUNT,
};

struct config_arg {
	const char *name;
	const char *value;   /* as the help shows it */
	const char *initial; /* as the help shows it */
	const char *meaning;
};

extern const struct config_arg config_args[CONFIG_COUNT];

/* Read ARG=VALUE words. On failure *ret holds the arguments read so far (the
 * option's name among them, so that the option stays known) and the error
 * names the argument. Free with config_clear() in both cases. */
int config_parse(int argc, char *const argv[], struct config *ret,
		 struct err *err);

/* Add the user's own defaults, KEY=VALUE[,...], as the text of the variable
 * has them; NULL or "" for none. Called once, after config_parse(). On failure
 * the config is untouched, and the error begins with the variable's name. */
int config_own_defaults(const char *text, struct config *config,
			struct err *err);

void config_clear(struct config *config);

#endif
