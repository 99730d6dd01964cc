/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JSON document of a rank table. Nearly all of it is one list of the root
 * (servers, groups or ranks). That list is no part of the tree: its elements
 * are parsed one after the other, so that a large table needs little memory
 * (doc/design/helpers-cli-ranktable.md).
 */
#pragma once

#include "helpers/cli/ranktable/json_strict.h"
#include "helpers/cli/ranktable/table_report.h"

struct document {
	cJSON *root;		 /* in place of the list an empty array */
	const cJSON *list;	 /* that array; NULL: nothing was taken out */
	const char *begin, *end; /* of the list's elements, borrowed */
	unsigned n;		 /* of them */
	cJSON *element;		 /* the one that was parsed last */
	struct text_block *kept;
	bool no_memory; /* something wasn't read or kept */
};

/* Parse a text that json_strict() has read up to `end`, with the list that it
 * found; elements are parsed from the text, which must stay. Returns 0, or -1
 * out of memory. */
int document_parse(struct document *doc, const char *text, size_t end,
		   const struct json_list *list);

void document_clear(struct document *doc);

/* A copy of an element's text that stays as long as the document; NULL for NULL
 * and out of memory. */
const char *document_keep(struct document *doc, const char *text);

/* A list of the root. */
struct elements {
	struct document *doc;
	const cJSON *next; /* in the tree, or NULL */
	const char *p;	   /* in the text, or NULL */
	unsigned n;
};

/* As value_list(), for the root's value `key`. */
bool document_list(struct document *doc, struct report *r, const char *key,
		   struct elements *ret);

/* The next element; NULL at the end and out of memory. It is there until the
 * next one is asked for. */
const cJSON *elements_next(struct elements *elements);
