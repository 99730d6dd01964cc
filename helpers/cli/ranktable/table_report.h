/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults of a rank table's file, one line each: where, what, the collective
 * library's error code and the remedy.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json;

/* The library's codes, where it reports one. Which rule has which:
 * doc/design/helpers-cli-ranktable.md. */
#define CODE_ENV   "EI0001" /* said of the environment, but about the table */
#define CODE_LOAD  "EI0004" /* can't be loaded or parsed */
#define CODE_VALUE "EI0014" /* a value that isn't possible */
#define CODE_KEY   "EI0017" /* a key is missing or has the wrong type */
#define CODE_NONE  ""	    /* it ends with a line in its log, or goes on */

#define REPORT_LINES_MAX 200  /* of one file */
#define FAULT_TEXT_MAX	 1024 /* of one line, without place and remedy */

struct report {
	FILE *f;	   /* NULL: only count */
	struct json *json; /* an open array of faults; NULL: lines of text */
	bool v2;	   /* the codes are those of the parser of 2.0 */
	const char *file;
	size_t n; /* faults so far */
};

/* A place in a JSON document, as a chain of steps up to the root (NULL). */
struct where {
	const struct where *up;
	const char *key; /* NULL: an element */
	unsigned index;
};

#define WHERE_TEXT_MAX 256

/* Report a fault; `path` may be "", and so may `remedy`. What the format shows
 * of the file must have gone through show(). */
void report_path(struct report *r, const char *path, const char *code,
		 const char *remedy, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
void report_where(struct report *r, const struct where *where, const char *code,
		  const char *remedy, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/* The last line of a file that had more faults than were shown. */
void report_end(struct report *r);

/*
 * Names in a rank table's file of which each may be there once.
 */

struct name {
	const char *text;
	unsigned at[2]; /* indices of the two lists */
};

/* The names list[].key, or list[].inner[].key where `inner` is set. */
struct names {
	const char *list, *inner, *key;
	const char *remedy;
	bool says_former;  /* the message names the list's former element */
	struct name *name; /* owned; names_report() frees it */
	size_t n;
};

/* A name at two indices; NULL isn't one. Returns 0, or -1 out of memory. */
int names_add(struct names *names, const char *text, unsigned a, unsigned b);

/* Report each name that was there before; frees the names. */
void names_report(struct names *names, struct report *r);

/*
 * Values of a JSON document, taken as the collective library takes them: of
 * keys that are there twice the last counts, numbers in texts are read by
 * std::stoull(). What isn't as it should be is reported where it is.
 */

/* NULL when it isn't there, or `object` is no object. */
const cJSON *value_find(const cJSON *object, const char *key);

/* "a number", for messages. */
const char *value_type(const cJSON *value);

/* Whether the value is an object; reported where it isn't. */
bool value_is_object(struct report *r, const struct where *at,
		     const cJSON *value);

/* A text; NULL when it isn't there (reported if `needed`) or no text. */
const char *value_text(struct report *r, const struct where *at,
		       const cJSON *object, const char *key, bool needed);

/* An array with at least one element, or NULL, which is reported. */
const cJSON *value_list(struct report *r, const struct where *at,
			const cJSON *object, const char *key);

/* A number in a text, from min to max. Returns 0, or -1 (reported, but for a
 * key that isn't needed and isn't there). */
int value_number(struct report *r, const struct where *at, const cJSON *object,
		 const char *key, bool needed, uint32_t min, uint32_t max,
		 uint32_t *ret);

/* The same for a JSON integer. */
int value_integer(struct report *r, const struct where *at, const cJSON *object,
		  const char *key, bool needed, uint32_t min, uint32_t max,
		  uint32_t *ret);

/* A text that must be one of the blank-separated words. */
void value_word(struct report *r, const struct where *at, const cJSON *object,
		const char *key, bool needed, const char *words);
