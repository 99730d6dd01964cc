/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What kind of program a step runs (core/facts/step_command.h), also where it
 * stands behind others, as most public scripts have it: env, timeout, taskset,
 * numactl, uv run, conda run, singularity exec, bash -c '...', a shell script.
 * A script's text is read as far as its commands are certain to run: what is in
 * an `if' or a loop, or behind a test, may be one rank's alone.
 *
 * srun, `dist-train exec' and `dist-train explain' ask.
 */
#pragma once

#include "core/base/err.h"
#include "core/facts/step_command.h"

#include <stddef.h>

/* How a script is read: its text, to free, or NULL. sys/text_file.h has one. */
typedef char *(*read_script_fn)(const char *path, size_t max, struct err *err);

#define COMMAND_SHELLS "sh bash dash ksh zsh"

/* Read the words of a command, program first. `read_script` may be NULL: files
 * aren't looked at. Can't fail: what isn't understood is COMMAND_UNKNOWN.
 * ret->name is one of the words, or in `room`, which the caller keeps as long.
 */
#define COMMAND_ROOM 64
void wrapped_command_read(int argc, char *const argv[],
			  read_script_fn read_script, char room[COMMAND_ROOM],
			  struct step_command *ret);

/*
 * The words of a shell command, without a shell: quotes and backslashes are
 * removed, variables stay as they are written.
 */

/* Split the text up to the end of its first simple command (a newline, ';',
 * '|', '&', '<', '>', '(' or ')'), or of the text. Words are written into
 * *room, which is moved and must have twice the text's size; their addresses go
 * into `word`, `max` at most with a NULL behind the last. Returns where the
 * rest of the text begins; *ret_n is the number of words. */
const char *shell_words(const char *text, char **room, char *word[], size_t max,
			size_t *ret_n);
