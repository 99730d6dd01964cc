/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of a file: found by name, and freed. */
#include "core/roles/role_read.h"

#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

int role_find(const struct role_file *file, const char *name, size_t len)
{
	for (unsigned i = 0; i < file->n; i++)
		if (strlen(file->role[i].name) == len &&
		    !strncasecmp(file->role[i].name, name, len))
			return (int)i;
	return ROLE_NONE;
}

const char *role_names_text(const struct role_file *file, char *buf,
			    size_t size)
{
	*buf = '\0';
	for (unsigned i = 0; i < file->n; i++)
		text_add(buf, size, " ", "%s", file->role[i].name);
	return buf;
}

static void line_clear(struct role_line *line)
{
	free(line->framework);
	free(line->option);
	for (size_t i = 0; i < line->npairs; i++)
		free(line->pair[i].text);
	free(line->pair);
	free(line->word);
	free(line->env_file);
	free(line->cwd);
	free(line->path);
	free(line->ready_value);
}

void role_file_clear(struct role_file *file)
{
	for (unsigned i = 0; i < file->n; i++)
		line_clear(&file->role[i]);
	free(file->role);
	free(file->name);
	free(file->text);
	*file = (struct role_file){0};
}
