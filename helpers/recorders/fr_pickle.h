/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A strict reader of the pickles that PyTorch's Flight Recorder writes: dicts,
 * lists, tuples, texts, numbers. What could make an object or call a function
 * (GLOBAL, REDUCE, BUILD ...) is refused by its place; nothing is ever run.
 * Pure; called in a child that may be killed (collect.h), because the file
 * comes from the job.
 */
#ifndef DT_HELPERS_RECORDERS_FR_PICKLE_H
#define DT_HELPERS_RECORDERS_FR_PICKLE_H

#include "core/base/err.h"

#include <stddef.h>
#include <stdint.h>

#define PICKLE_VALUES_MAX (1U << 20) /* and so many places in lists, dicts */

enum pickle_kind {
	PICKLE_NONE,
	PICKLE_BOOL,
	PICKLE_INT,
	PICKLE_FLOAT, /* its value isn't kept */
	PICKLE_TEXT,
	PICKLE_LIST, /* a tuple, too */
	PICKLE_DICT,
};

/* A list may hold itself: don't walk one to its end without a limit. */
struct pickle_value {
	enum pickle_kind kind;
	int64_t number;			  /* PICKLE_BOOL, PICKLE_INT */
	const char *text;		  /* in the data, without a NUL */
	const struct pickle_value **item; /* of a dict: key, value, key ... */
	size_t n, room;			  /* items, or bytes of the text */
};

struct pickle;

/* Read `size` bytes, which must outlive what is returned. NULL where they are
 * no such pickle, end too early, or hold more than PICKLE_VALUES_MAX. */
struct pickle *pickle_read(const void *data, size_t size, struct err *err);
void pickle_free(struct pickle *pickle);

const struct pickle_value *pickle_root(const struct pickle *pickle);

/* The value of a key that is a text; NULL where `dict` is NULL, no dict, or
 * hasn't it. */
const struct pickle_value *pickle_get(const struct pickle_value *dict,
				      const char *key);

/* The i-th item of a list or tuple, or NULL. */
const struct pickle_value *pickle_at(const struct pickle_value *list, size_t i);

/* Its number, or `otherwise` where it has none. */
int64_t pickle_number(const struct pickle_value *value, int64_t otherwise);

/* Its text, cut to `size` bytes with a NUL; "" where it has none. Returns
 * `buf`. */
const char *pickle_text(const struct pickle_value *value, char *buf,
			size_t size);

#endif
