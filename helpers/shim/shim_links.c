/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/shim/shim_links.h"

#include "core/base/cleanup.h"
#include "core/facts/handover.h"
#include "sys/helper_dir.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int link_one(const char *dir, const char *name, struct err *err)
{
	cleanup_free char *target = NULL, *path = NULL;

	if (asprintf(&target, "%s/dist-train-%s", helper_dir(), name) < 0 ||
	    asprintf(&path, "%s/%s", dir, name) < 0)
		return err_memory(err);
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

static int place(char placed[PATH_MAX], const char *name, const char *table,
		 struct err *err)
{
	cleanup_free char *folder = getcwd(NULL, 0);
	int n = snprintf(placed, PATH_MAX, "%s/%s", folder ? folder : "", name);

	if (n < PATH_MAX && is_left_over(placed))
		unlink(placed);
	if (n < PATH_MAX && symlink(table, placed) == 0)
		return 0;
	*placed = '\0';
	if (n < PATH_MAX && errno == EEXIST)
		return 0;
	return err_printf(err,
			  "can't create %s, which the script checks for: %s",
			  name, strerror(n < PATH_MAX ? errno : ENAMETOOLONG));
}

int shim_links_place(struct shim_links *files, const struct dialect_form *form,
		     unsigned nprocs, const char *table, struct err *err)
{
	char name[NAME_MAX + 1];

	snprintf(files->table, sizeof(files->table), "%s", table);
	form->wants(form->nprocs, name, sizeof(name));
	if (place(files->placed[0], name, table, err) < 0)
		return -1;
	if (nprocs == form->nprocs)
		return 0;
	form->wants(nprocs, name, sizeof(name));
	return place(files->placed[1], name, table, err);
}

void shim_links_remove(struct shim_links *files)
{
	char target[PATH_MAX];

	for (int i = 0; i < SHIM_LINKS; i++) {
		if (*files->placed[i] && leads_to(files->placed[i], target) &&
		    !strcmp(target, files->table))
			unlink(files->placed[i]);
		*files->placed[i] = '\0';
	}
}
