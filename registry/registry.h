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
 * other_words.c	what to write instead of other tools' words
 * words_help.c	frameworks and keys as text for people
 * handed.c	what the plugin has handed over to a program of ours
 *
 * Pure, as core/ is. It runs wherever the option is read: in srun, sbatch and
 * salloc, in slurmstepd, in the launcher and in dist-train. core/, frameworks/
 * and dialects/ never call it.
 */
#pragma once

#include "core/base/err.h"
#include "core/facts/components.h"
#include "core/facts/job.h"
#include "core/option/config.h"
#include "core/option/option.h"
#include "core/plan/dialect.h"
#include "core/plan/framework.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

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
	CONFIG_STAGE,
	CONFIG_STAGEDIR,
	CONFIG_STAGEKEEP,
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

/*
 * Words of other tools where one of ours is expected, and texts whose
 * punctuation isn't ours: what an error proposes instead.
 */

enum other_kind { OTHER_FRAMEWORK, OTHER_KEY };

struct other_word {
	enum other_kind kind;
	const char *words; /* blank-separated, in small letters, with '-' */
	const char *ours;  /* a framework's or key's name; NULL: none is like
			      it */
	const char *cure;  /* what to do; NULL: write `ours` */
};

/* The n-th of them; NULL after the last. */
const struct other_word *other_word_nth(size_t n);

/* What is said to who has written `word`, "write restarts=N", into buf; any
 * case, '_' for '-', and "--" before it are all the same. False: nothing is
 * known of it. */
#define OTHER_CURE_SIZE 160
bool other_word_cure(enum other_kind kind, const char *word,
		     char buf[OTHER_CURE_SIZE]);

/* How the option's text was probably meant: full-width and curly punctuation
 * as ASCII, quotes left out, and a comma where ';', ':', '+' or blanks stand
 * before a key. *ret_wide: there was some that isn't ASCII. False: it is as it
 * was, or doesn't fit into `size`. */
bool option_meant(const char *text, char *buf, size_t size, bool *ret_wide);

/*
 * Frameworks and keys as text for people, from their tables: what
 * `srun --dist-train=help` and `dist-train keys`, `help` and `frameworks`
 * print. Each function writes lines of at most 79 columns into the caller's
 * stream and looks at nothing else; none fails.
 */

/* Words up to the right margin and a newline, each further line after `indent`
 * blanks. `column` is where the cursor is. */
void help_wrapped(FILE *f, const char *text, int column, int indent);

/* Which of the groups of the help a key belongs to. */
enum help_group { HELP_EVERYDAY, HELP_OWN, HELP_EXPERT, HELP_GROUPS };

enum help_group help_group_of(const struct option_key *key);

/* "everyday", "framework" or "expert". */
const char *help_group_name(enum help_group group);

/* The key's default as text; "" if it has none. Returns buf. */
const char *help_default(const struct option_key *key, char buf[24]);

/* A line or more for each framework of `allow` (struct config; NULL: all), and
 * what it was tested with if that is asked for. */
void help_frameworks(FILE *f, const char *allow, bool tested);

/* One framework: what it is, its other names, its keys. */
void help_framework(FILE *f, const struct framework *framework);

/* One key: its values, its meaning, who has it. */
void help_key(FILE *f, const struct option_key *key);

/* All keys in their groups, with what holds for their values. */
void help_keys(FILE *f);

/* What `srun --dist-train=TEXT` shows instead of a start: TEXT is `help` or
 * `list`, or FRAMEWORK,help, in any case of letters. False: it is none of
 * these, and nothing is written. */
bool help_asked(FILE *f, const char *text, const char *allow);

/* What the plugin has handed over to a program of ours (core/facts/handover.h),
 * whole: the administrator's settings, the request, and the facts of the task.
 * Pure. */

/* Read it through `lookup`. Returns 0 or -1; in both cases job_clear(),
 * request_clear() and config_clear(), on what was zero before. */
int handed_read(env_lookup_fn lookup, void *arg, struct config *config,
		struct request *request, struct job *job, struct err *err);

/* The same of what the launchers have told each other: HANDOVER_LEARNED, if it
 * is there, into the job and the request, which are read; `remark` as in
 * components_deal(). */
int handed_learned(env_lookup_fn lookup, void *arg, const struct config *config,
		   struct request *request, struct job *job,
		   char remark[COMPONENTS_REMARK_SIZE], struct err *err);

/*
 * The same for another process that has nothing of this task's environment: the
 * variables, as strings with their NULs, "NAME=VALUE"; and the words of the
 * command, each after a "=".
 */

/* Whether the variable, "NAME=VALUE", is one of them. */
bool handed_is_fact(const char *entry);

/* All that `environment` has of it: Slurm's names and ours, and what says which
 * devices a task sees. For the caller to free; NULL: out of memory. */
char *handed_text(char *const environment[], char *const command[],
		  size_t *ret_n);

/* Each string of it, of n bytes: `set` for a variable, `word` for a word of the
 * command; both may keep the text as long as it is there. Returns 0, or -1:
 * it isn't such a text, or has another name. */
int handed_text_read(char *text, size_t n,
		     int (*set)(void *arg, const char *name, const char *value),
		     int (*word)(void *arg, char *word), void *arg);
