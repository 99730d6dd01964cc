/* SPDX-License-Identifier: Apache-2.0 */
/* A list of files below one folder. */
#ifndef DT_HELPERS_CODE_CODE_FILES_H
#define DT_HELPERS_CODE_CODE_FILES_H

#include "core/base/err.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What isn't tracked by git may have so much, in all. */
#define CODE_BYTES_MAX (100UL << 20)
#define CODE_FILES_MAX 200000

#define CODE_ID_SIZE 72

struct code_file {
	char *path;	       /* from the root on */
	char id[CODE_ID_SIZE]; /* git's, of the index; "": it isn't tracked */
};

struct code_list {
	char root[PATH_MAX];
	char commit[CODE_ID_SIZE]; /* "": no git, or no commit yet */
	bool git;
	bool differs; /* from the commit, as far as names and index tell */
	struct code_file *file; /* by path */
	size_t n;
	char **link; /* what git ignores, for links to it */
	size_t nlinks;
	uint64_t bytes; /* of those that aren't tracked */
	char largest[PATH_MAX];
	uint64_t largest_bytes;
};

/* Returns 0, or -1 when out of memory or when there are too many. */
int code_list_add(struct code_list *list, const char *path, const char *id,
		  struct err *err);

/* Names that are never the program's own. */
bool code_is_left_out(const char *path);

void code_list_clear(struct code_list *list);

#endif
