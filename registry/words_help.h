/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frameworks and keys as text for people, from their tables: what
 * `srun --dist-train=help` and `dist-train keys`, `help` and `frameworks`
 * print. Each function writes lines of at most 79 columns into the caller's
 * stream and looks at nothing else; none fails.
 */
#ifndef DT_REGISTRY_WORDS_HELP_H
#define DT_REGISTRY_WORDS_HELP_H

#include "core/option/option.h"
#include "core/plan/framework.h"

#include <stdbool.h>
#include <stdio.h>

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

#endif
