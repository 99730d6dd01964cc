/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments that a program gets besides its own, and a look at its own.
 */
#pragma once

#include "core/base/err.h"

#include <stddef.h>

struct argset {
	char **arg; /* each owned */
	size_t n;
};

/* Add one, printf-like. Fails when out of memory, and when it has more bytes
 * than the kernel takes (the error says how many). */
int argset_add(struct argset *set, struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The value of the option --NAME in a command line that ends with NULL:
 * "--NAME VALUE" or "--NAME=VALUE", the last one where it is there twice; ""
 * for one that stands last. '_' in it counts as '-'. With `letters`, "-LETTERS"
 * is the same option; NULL: it has no short form. NULL: it isn't there, or
 * `argv` is NULL. Borrowed from `argv`. */
const char *argv_option(char *const argv[], const char *name,
			const char *letters);

/* `argv` with the set after it, ending with NULL; the texts are borrowed, the
 * list is the caller's. NULL: out of memory. */
char **argset_behind(const struct argset *set, char *const argv[]);

void argset_clear(struct argset *set);
