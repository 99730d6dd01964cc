/* SPDX-License-Identifier: Apache-2.0 */
/* The collected files of tests/hccn (INDEX.tsv says where each is from). */
#ifndef DT_TESTS_HCCN_FILES_H
#define DT_TESTS_HCCN_FILES_H

#include "tests/unit/unit.h"

#include <dirent.h>

static inline const char *hccn_folder(char buf[512])
{
	const char *srcdir = getenv("srcdir");

	snprintf(buf, 512, "%s/tests/hccn", srcdir ? srcdir : ".");
	return buf;
}

/* The text of one; freed by the caller. */
static inline char *hccn_file(const char *name)
{
	char dir[512], path[1024], *text = calloc(1, 65536);
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", hccn_folder(dir), name);
	f = fopen(path, "r");
	if (!f)
		fail_msg("%s", path);
	text[fread(text, 1, 65535, f)] = '\0';
	fclose(f);
	return text;
}

#endif
