/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files that read a file of roles: for nobody else. */
#pragma once

#include "core/roles/role_file.h"

/* Read KEY=VALUE into the line. Returns 1; 0: the key isn't one of the file's
 * own; -1: its value is wrong, or it was there before. All roles have their
 * names. */
int role_key_read(const struct role_file *file, struct role_line *line,
		  const char *text, struct role_place at, struct err *err);

/* Take the name of a new role. */
int role_name_read(const struct role_file *file, const struct role_word *word,
		   char ret[ROLE_NAME_SIZE], struct err *err);

/* Refuse what doesn't fit together, and fill in what follows. */
int role_file_check(struct role_file *file, struct err *err);

/* Refuse a command with an unknown name, or one that is meant for a shell. */
int role_command_check(const struct role_file *file,
		       const struct role_line *line, env_lookup_fn lookup,
		       void *arg, struct err *err);

/* The names of all roles, with blanks between, as far as they have room.
 * Returns buf. */
const char *role_names_text(const struct role_file *file, char *buf,
			    size_t size);
