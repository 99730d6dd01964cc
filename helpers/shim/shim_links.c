/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/shim/shim_server.h"

#include "core/facts/handover.h"
#include "sys/helper_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCRIPT_MAX                                                             \
	(256 << 10) /* bytes of a script in which names are looked for */

static int link_one(const char *dir, const char *name, struct err *err)
{
	cleanup_free char *helper = NULL, *path = NULL;
	char target[PATH_MAX];

	if (asprintf(&helper, "dist-train-%s", name) < 0 ||
	    asprintf(&path, "%s/%s", dir, name) < 0)
		return err_memory(err);
	helper_path(helper, target);
	if (access(target, X_OK) < 0)
		return err_printf(err,
				  "%s: %s; install slurm-dist-train's helpers",
				  target, strerror(errno));
	if (symlink(target, path) == 0)
		return 0;
	return err_printf(err, "can't make %s: %s", path, strerror(errno));
}

int shim_links_make(const char *dir, const char *shim, struct err *err)
{
	if (link_one(dir, shim, err) < 0)
		return -1;
	return link_one(dir, "ps", err);
}

/* Read a link's target. */
static bool leads_to(const char *path, char ret[PATH_MAX])
{
	ssize_t n = readlink(path, ret, PATH_MAX - 1);

	ret[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* Whether a link is left over from a step whose launcher was killed. */
static bool is_left_over(const char *path)
{
	char target[PATH_MAX];

	return leads_to(path, target) && strstr(target, "/" RUN_DIR_PREFIX) &&
	       access(path, F_OK) < 0 && errno == ENOENT;
}

static int place(struct shim_links *files, const char *name, struct err *err)
{
	cleanup_free char *folder = getcwd(NULL, 0);
	char *placed = files->placed[files->n];
	int n = snprintf(placed, PATH_MAX, "%s/%s", folder ? folder : "", name);

	if (n < PATH_MAX && is_left_over(placed))
		unlink(placed);
	if (n < PATH_MAX && symlink(files->table, placed) == 0) {
		files->n++;
		return 0;
	}
	if (n < PATH_MAX && errno == EEXIST)
		return 0;
	return err_printf(err,
			  "can't create %s, which the script checks for: %s",
			  name, strerror(n < PATH_MAX ? errno : ENAMETOOLONG));
}

/* The next name in `text` that begins with `prefix`, ends with .json, and has
 * no shell's variable in it: where the search goes on, or NULL. */
static const char *next_name(const char *text, const char *prefix,
			     char ret[NAME_MAX + 1])
{
	static const char end[] = ".json";
	const size_t tail = sizeof(end) - 1;

	while ((text = strstr(text, prefix))) {
		size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz"
					"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					"0123456789._-");

		if (n > tail && n <= NAME_MAX &&
		    !memcmp(text + n - tail, end, tail)) {
			snprintf(ret, NAME_MAX + 1, "%.*s", (int)n, text);
			return text + n;
		}
		text += n;
	}
	return NULL;
}

/* The beginning of a file, for the caller to free; NULL: there is none. A file
 * that isn't regular isn't waited for. */
static char *beginning(const char *path)
{
	cleanup_close int fd =
		open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	char *text;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return NULL;
	text = malloc(SCRIPT_MAX + 1);
	n = text ? read(fd, text, SCRIPT_MAX) : -1;
	if (n >= 0)
		text[n] = '\0';
	return text;
}

/* Those that one word of the command, if it is a file, has in its text. */
static int place_named(struct shim_links *files, const char *path,
		       const char *prefix, struct err *err)
{
	cleanup_free char *text = beginning(path);
	const char *at = text;
	char name[NAME_MAX + 1];

	while (files->n < SHIM_LINKS && at &&
	       (at = next_name(at, prefix, name)))
		if (place(files, name, err) < 0)
			return -1;
	return 0;
}

int shim_links_place(struct shim_links *files, const struct dialect_form *form,
		     unsigned nprocs, const char *table, char *const argv[],
		     struct err *err)
{
	char name[NAME_MAX + 1];

	snprintf(files->table, sizeof(files->table), "%s", table);
	form->wants(form->nprocs, name, sizeof(name));
	if (place(files, name, err) < 0)
		return -1;
	form->wants(nprocs, name, sizeof(name));
	if (place(files, name, err) < 0)
		return -1;
	for (; *argv && files->n < SHIM_LINKS; argv++)
		if (place_named(files, *argv, form->wanted, err) < 0)
			return -1;
	return 0;
}

void shim_links_remove(struct shim_links *files)
{
	char target[PATH_MAX];

	while (files->n) {
		const char *placed = files->placed[--files->n];

		if (leads_to(placed, target) && !strcmp(target, files->table))
			unlink(placed);
	}
}
