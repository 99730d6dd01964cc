/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/stage/path_view.h"

#include "core/base/err.h"
#include "helpers/copies/python_home.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const lists[] = {
	"PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "VIRTUAL_ENV", "CONDA_PREFIX",
};

/* The pair of which a path of n bytes is, or is below; NULL: of none. */
static const struct path_pair *pair_of(const struct path_pair *pairs,
				       unsigned npairs, const char *path,
				       size_t n)
{
	for (unsigned i = 0; i < npairs; i++) {
		size_t len = strlen(pairs[i].from);

		if (n >= len && !memcmp(path, pairs[i].from, len) &&
		    (n == len || path[len] == '/'))
			return &pairs[i];
	}
	return NULL;
}

static int print_item(FILE *f, const struct path_pair *pairs, unsigned npairs,
		      const char *item, size_t n)
{
	const struct path_pair *p = pair_of(pairs, npairs, item, n);
	size_t skip = p ? strlen(p->from) : 0;

	return fprintf(f, "%s%.*s", p ? p->to : "", (int)(n - skip),
		       item + skip);
}

static int change(const char *name, const struct path_pair *pairs, unsigned n)
{
	const char *at = getenv(name);
	cleanup_free char *text = NULL;
	size_t size;
	FILE *f = at ? open_memstream(&text, &size) : NULL;

	if (!f)
		return at ? -1 : 0;
	for (;;) {
		size_t len = strcspn(at, ":");

		print_item(f, pairs, n, at, len);
		if (!at[len])
			break;
		fputc(':', f);
		at += len + 1;
	}
	return fclose(f) == 0 && text ? setenv(name, text, 1) : -1;
}

int path_view_env(const struct path_pair *pairs, unsigned n)
{
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		if (change(lists[i], pairs, n) < 0)
			return -1;
	return 0;
}

/* --- the program --- */

/* The copy of a path. Returns whether there is one. */
static bool translate(const struct path_pair *pairs, unsigned npairs,
		      const char *path, char ret[PATH_MAX])
{
	const struct path_pair *p = pair_of(pairs, npairs, path, strlen(path));

	return p && snprintf(ret, PATH_MAX, "%s%s", p->to,
			     path + strlen(p->from)) < PATH_MAX;
}

static unsigned count(char *const *argv)
{
	unsigned n = 0;

	while (argv[n])
		n++;
	return n;
}

int path_view_command(const struct path_pair *pairs, unsigned npairs,
		      struct child *child, char file[PATH_MAX],
		      char ***ret_argv)
{
	char *const *argv = child->argv;
	unsigned n = count(argv), at = 0;
	char python[PATH_MAX], to[PATH_MAX];
	size_t size = (n + 3) * sizeof(char *);
	char **all;

	*ret_argv = NULL;
	if (!n || !translate(pairs, npairs, child->file, file))
		return 0;
	all = malloc(size + 2 * PATH_MAX);
	if (!all)
		return -1;
	/* The names are behind the list of them */
	if (script_interpreter(file, python) == 0 &&
	    translate(pairs, npairs, python, to)) {
		all[at++] = strcpy((char *)all + size, to);
		all[at++] = strcpy((char *)all + size + PATH_MAX, file);
		strcpy(file, to);
	} else if (translate(pairs, npairs, argv[0], to)) {
		all[at++] = strcpy((char *)all + size, to);
	} else {
		all[at++] = argv[0];
	}
	memcpy(&all[at], &argv[1], n * sizeof(*all));
	child->file = file;
	child->argv = *ret_argv = all;
	return 0;
}
