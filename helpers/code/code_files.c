/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/code/code_files.h"

#include "core/base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool code_is_left_out(const char *path)
{
	size_t n = strlen(path);
	const char *name;

	n -= n && path[n - 1] == '/';
	for (name = path + n; name > path && name[-1] != '/';)
		name--;
	n -= (size_t)(name - path);
	return (n == 11 && !strncmp(name, "__pycache__", n)) ||
	       (n == 4 && !strncmp(name, ".git", n)) ||
	       (n == 3 && !strncmp(name, ".hg", n));
}

int code_list_add(struct code_list *list, const char *path, const char *id,
		  struct err *err)
{
	struct code_file *to;

	if (list->n == CODE_FILES_MAX)
		return err_printf(err,
				  "code=freeze: %s has more than %d files; put "
				  "the program into a folder of its own, or "
				  "into a git work tree",
				  list->root, CODE_FILES_MAX);
	to = array_append(&list->file, list->n, sizeof(*to));
	if (to)
		to->path = strdup(path);
	if (!to || !to->path)
		return err_memory(err);
	snprintf(to->id, sizeof(to->id), "%s", id);
	list->n++;
	return 0;
}

void code_list_clear(struct code_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->file[i].path);
	for (size_t i = 0; i < list->nlinks; i++)
		free(list->link[i]);
	free(list->file);
	free(list->link);
	*list = (struct code_list){.n = 0};
}
