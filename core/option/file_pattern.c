/* SPDX-License-Identifier: Apache-2.0 */
#include "core/option/file_pattern.h"

#include "core/base/parse.h"

#include <string.h>

#define WIDTH_MAX 10

const char *file_pattern_field(const char *percent,
			       struct file_pattern_field *ret)
{
	const char *p = percent + 1;
	int width = 0;

	for (; *p >= '0' && *p <= '9'; p++)
		if (width < WIDTH_MAX)
			width = width * 10 + *p - '0';
	*ret = (struct file_pattern_field){
		.letter = *p,
		.width = width < WIDTH_MAX ? width : WIDTH_MAX,
	};
	return *p ? p + 1 : p;
}

static int refuse_field(const char *key, const char *letters,
			const char *pattern, char letter, struct err *err)
{
	char shown[SHOW_SIZE], unknown[SHOW_SIZE], field[] = {'%', letter, 0};
	const char *rank = strchr(letters, 'r') ? " %r rank," : "";

	if (letter && strchr(FILE_PATTERN_OF_RANK, letter))
		return err_printf(
			err,
			"%s=%s: one file is for all ranks of a node, so "
			"%%%c isn't possible; %%n and %%N are the "
			"node's number and name",
			key, show(shown, pattern), letter);
	return err_printf(err,
			  "%s=%s: unknown %s; known: %%j job, %%s step, "
			  "%%n node's number, %%N its name,%s %%%%",
			  key, show(shown, pattern), show(unknown, field),
			  rank);
}

int file_pattern_check(const char *key, const char *letters,
		       const char *pattern, struct err *err)
{
	struct file_pattern_field field;

	for (const char *p = strchr(pattern, '%'); p; p = strchr(p, '%')) {
		p = file_pattern_field(p, &field);
		if (!field.letter || !strchr(letters, field.letter))
			return refuse_field(key, letters, pattern, field.letter,
					    err);
	}
	return 0;
}
