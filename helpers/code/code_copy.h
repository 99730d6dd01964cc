/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The copy of a list of files. What it has stands in a text, its manifest: for
 * each file the hash of its content, what it is and its name, with a NUL
 * behind; the hash of that is the code's.
 */
#ifndef DT_HELPERS_CODE_CODE_COPY_H
#define DT_HELPERS_CODE_CODE_COPY_H

#include "helpers/code/code_files.h"

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

#endif
