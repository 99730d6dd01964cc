/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON as every command prints it: one object without blanks, whose first
 * member is "schema", and a newline after it. doc/json.md has the members of
 * each command; a member that goes or changes its meaning raises the number.
 * It is written piece by piece, so nothing is kept and nothing can fail.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#define JSON_SCHEMA 1

/* Where it is written, and what stands before the next value there. */
struct json {
	FILE *f;
	const char *comma;
};

/* A command's object; json_end() closes it, with a newline. */
struct json json_begin(FILE *f);
void json_end(struct json *j);

/* Add members, "NAME:%s OTHER:%u", or to an array values, "%s". %s is a text
 * (NULL is null), %c one of one character; %d, %u, %lu, %zu and %g are numbers
 * (NAN is null), %f one with six digits behind the point at most, %i is true or
 * false. With "NAME?:" what says nothing isn't there: an empty text, false, an
 * unsigned 0, a negative %d, NAN. "NAME:{" and "NAME:[", in an array "{", begin
 * an object or an array, which "}" and "]" end, there or in a later call. */
void json_add(struct json *j, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A member whose name isn't known before; json_open() begins one by '{' or '['.
 */
void json_text(struct json *j, const char *name, const char *text);
void json_number(struct json *j, const char *name, double number);
void json_open(struct json *j, const char *name, char bracket);

/* An array of texts, cut from `list` at each `separator`; "" is none. */
void json_list(struct json *j, const char *name, const char *list,
	       char separator);

/* The array's next value stands on a line of its own. */
void json_line(struct json *j);

/* Whether a command line asks for JSON: --json before "--" and before a word
 * from which on the words are another program's (srun). */
bool json_wanted(int argc, char *const argv[]);

/* {"schema":1,"error":"..."}, for a command that has printed nothing. */
void json_print_error(FILE *f, const char *text);
