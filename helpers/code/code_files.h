/* SPDX-License-Identifier: Apache-2.0 */
/* A list of files below one folder. */
#pragma once

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

/* What git knows of a program's files. */

/* git's answers. Returns 1: it is in a work tree, and the list is its; 0: it
 * isn't, there is no git, or git doesn't trust the folder; or -1. */
int code_git_list(const char *folder, struct code_list *list, struct err *err);

/* Whether what was kept in the folder `copy` differs from the commit. */
bool code_git_differs(const struct code_list *list, const char *copy);

/*
 * Which files are a program's own: of a git work tree all but the ignored ones
 * (code_git.c), else those of its folder.
 */

/* The files of the program `file`, or of the module in this folder where that
 * is "". Both are absolute and without links. Free with code_list_clear().
 * Returns 0 or -1. */
int code_list_make(const char *folder, const char *file, struct code_list *ret,
		   struct err *err);

/*
 * The copy of a list of files. What it has stands in a text, its manifest: for
 * each file the hash of its content, what it is and its name, with a NUL
 * behind; the hash of that is the code's.
 */

#define CODE_HEX_SIZE 65
#define CODE_ROW_HEAD (CODE_HEX_SIZE + 2) /* of a row, before the name */

struct code_manifest {
	char *text;
	size_t n;
	unsigned long files;
	char hex[CODE_HEX_SIZE]; /* of all of it; "": not made yet */
};

/* SHA-256 in hexadecimal digits. */
void code_hex(const void *data, size_t n, char ret[CODE_HEX_SIZE]);

/* Copy the files into the empty folder `to`. What has vanished since or can't
 * be read is left out. Free with code_manifest_clear(). Returns 0 or -1. */
int code_copy(const struct code_list *list, int to, struct code_manifest *ret,
	      struct err *err);

/* Let what git ignores, and so isn't kept, be found beside what is: links lead
 * to where it was. Those that are there already stay. */
void code_link_ignored(const struct code_list *list, int to);

/* Whether the folder has all that, unchanged; else *ret_name, of the manifest,
 * is what differs. */
bool code_copy_is_whole(int folder, const char *manifest, size_t n,
			const char **ret_name);

void code_manifest_clear(struct code_manifest *manifest);
