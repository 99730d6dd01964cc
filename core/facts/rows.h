/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What launchers tell of a running step (helpers/part/sight.h), as text: one
 * row a line, its fields separated by tabs, the first one names what it is.
 * Both launchers and commands read it.
 */
#pragma once

#include <stdio.h>

#define ROW_FIELDS 24 /* of a row, at most */

/* Print a field with what comes before it: nothing for the first (`name`), a
 * tab for the others. What doesn't print, in what a program calls itself, is
 * shown as '?', and so is a byte that is no UTF-8. */
void row_begin(FILE *f, const char *name);
void row_text(FILE *f, const char *text);
void row_number(FILE *f, long long number);
void row_end(FILE *f);

/* The first row of a launcher of a world of a step with several roles: those
 * that follow are of that world. */
#define ROW_WORLD "world\t%s\n"

/* A whole row: a note for a person; ROW_NOTE is one that is known before. */
void row_note(FILE *f, const char *text);
#define ROW_NOTE(text) "note\t" text "\n"

/* Cut the first row off *text, which is changed: its fields, of which a missing
 * one is "". Returns how many there are; 0: no more rows. */
unsigned row_next(char **text, char *ret[ROW_FIELDS]);
