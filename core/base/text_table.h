/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts in aligned columns, for a person: a head, then rows. A column is as
 * wide as its widest text, two blanks stand between columns, and the last one
 * isn't filled up. Colours (ESC [ ... m) take no room.
 */
#pragma once

#include "core/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum text_column { COLUMN_LEFT, COLUMN_RIGHT, COLUMN_HIDDEN };

/* It begins as {.indent = "  "}: blanks before each line, or NULL. */
struct text_table {
	const char *indent;
	enum text_column *column;
	size_t columns;
	char **cell; /* by row; those of row 0 are the head */
	size_t n;
	bool failed; /* out of memory: text_table_print() returns it */
};

/* Add a column, before all rows. */
void text_table_column(struct text_table *t, enum text_column column,
		       const char *name);

/* Add a cell (printf-like): the next one of its row, or the first of the next
 * row. */
void text_table_add(struct text_table *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Rows with the head, of those that are whole. */
size_t text_table_rows(const struct text_table *t);

/* A cell that is there. */
const char *text_table_at(const struct text_table *t, size_t row,
			  size_t column);

/* Hide the columns, from the left on, that have no room in so many columns of a
 * terminal. */
void text_table_fit(struct text_table *t, int columns);

/* Fails when there was no memory for all of it; nothing is printed then. */
int text_table_print(FILE *f, const struct text_table *t, struct err *err);

void text_table_clear(struct text_table *t);

#define cleanup_table __attribute__((cleanup(text_table_clear)))
