/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/code/code_files.h"

#include "sys/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 32

/* --- a folder --- */

struct walk {
	struct code_list *list;
	const char *below; /* of the folder that is looked at */
	unsigned depth;
	int rc;
	struct err *err;
};

static void add_entry(void *arg, int folder, const char *name);

/* A folder that can't be read has nothing that the program could. A virtual
 * environment is none of its own. */
static void add_folder(struct walk *w, int above, const char *name,
		       const char *path)
{
	cleanup_close int fd = openat(
		above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct walk inner = *w;

	inner.below = path;
	inner.depth++;
	if (fd >= 0 && w->depth < DEPTH_MAX &&
	    faccessat(fd, "pyvenv.cfg", F_OK, AT_SYMLINK_NOFOLLOW) < 0)
		folder_each(fd, add_entry, &inner);
	w->rc = inner.rc;
}

static void add_entry(void *arg, int folder, const char *name)
{
	struct walk *w = arg;
	char path[PATH_MAX];
	struct stat st;
	int n = snprintf(path, sizeof(path), "%s%s%s", w->below,
			 *w->below ? "/" : "", name);

	if (w->rc < 0 || n < 0 || (size_t)n >= sizeof(path) ||
	    code_is_left_out(name) ||
	    fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	if (S_ISDIR(st.st_mode))
		add_folder(w, folder, name, path);
	else if (S_ISREG(st.st_mode) || S_ISLNK(st.st_mode))
		w->rc = code_list_add(w->list, path, "", w->err);
}

static int list_folder(const char *folder, struct code_list *list,
		       struct err *err)
{
	cleanup_close int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct walk all = {.list = list, .err = err};

	snprintf(list->root, sizeof(list->root), "%s", folder);
	if (fd < 0)
		return err_printf(err, "code=freeze: can't read %s: %s", folder,
				  strerror(errno));
	add_folder(&all, fd, ".", "");
	return all.rc;
}

/* --- all --- */

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct code_file *)a)->path,
		      ((const struct code_file *)b)->path);
}

/* Each once, in order. */
static void sort(struct code_list *list)
{
	size_t n = 0;

	qsort(list->file, list->n, sizeof(*list->file), by_path);
	for (size_t i = 0; i < list->n; i++)
		if (!n ||
		    strcmp(list->file[n - 1].path, list->file[i].path) != 0)
			list->file[n++] = list->file[i];
		else
			free(list->file[i].path);
	list->n = n;
}

/* The program's own file is kept also where git ignores it: a compiled one. */
static int add_program(struct code_list *list, const char *file,
		       struct err *err)
{
	size_t n = strlen(list->root);
	const struct code_file key = {.path = (char *)file + n + 1};

	if (!*file || bsearch(&key, list->file, list->n, sizeof(key), by_path))
		return 0;
	if (code_list_add(list, file + n + 1, "", err) < 0)
		return -1;
	list->differs = true;
	sort(list);
	return 0;
}

static int check_size(struct code_list *list, struct err *err)
{
	cleanup_close int root =
		open(list->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	for (size_t i = 0; i < list->n; i++) {
		const struct code_file *f = &list->file[i];

		if (*f->id ||
		    fstatat(root, f->path, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		list->bytes += (uint64_t)st.st_size;
		if ((uint64_t)st.st_size <= list->largest_bytes)
			continue;
		list->largest_bytes = (uint64_t)st.st_size;
		snprintf(list->largest, sizeof(list->largest), "%s", f->path);
	}
	if (list->bytes <= CODE_BYTES_MAX)
		return 0;
	return err_printf(
		err,
		"code=freeze: %s has %.1f MB%s, more than %lu MB, the largest "
		"is %.300s (%.1f MB); %s",
		list->root, (double)list->bytes / 1e6,
		list->git ? " that git neither tracks nor ignores" : "",
		CODE_BYTES_MAX >> 20, list->largest,
		(double)list->largest_bytes / 1e6,
		list->git ? "write what isn't code into .gitignore"
			  : "put the program into a git work tree, or into a "
			    "folder without data");
}

int code_list_make(const char *folder, const char *file, struct code_list *ret,
		   struct err *err)
{
	int rc;

	*ret = (struct code_list){.n = 0};
	rc = code_git_list(folder, ret, err);
	if (rc == 0)
		rc = list_folder(folder, ret, err);
	if (rc < 0)
		return -1;
	if (strchr(ret->root, '\n'))
		return err_printf(err, "code=freeze: the name of the folder "
				       "has a line's end");
	sort(ret);
	if (add_program(ret, file, err) < 0)
		return -1;
	return check_size(ret, err);
}
