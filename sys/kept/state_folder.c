/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/kept/state_folder.h"

#include "core/base/text.h"
#include "sys/folder.h"
#include "sys/kept/log_open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define AS_FOLDER (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define OTHERS	  077  /* what others may never do */
#define NAMES_MAX 4096 /* of a folder that somebody fills with others */
#define NAME_SIZE 192

char *state_folder_path(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	char *path = NULL;
	int rc = -1;

	if (state && *state == '/')
		rc = asprintf(&path, "%s/dist-train", state);
	else if (home && *home == '/')
		rc = asprintf(&path, "%s/.local/state/dist-train", home);
	return rc < 0 ? NULL : path;
}

/* --- opening --- */

/* Why this isn't the user's alone; NULL: it is. */
static const char *fault(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return strerror(errno);
	if (st.st_uid != geteuid())
		return "it belongs to another user";
	return folder_keeps_names(fd) ? NULL : "others may write to it";
}

int state_folder_enter(const char *key, int above, const char *path,
		       struct err *err)
{
	const char *name = strrchr(path, '/') + 1, *why;
	cleanup_close int fd = openat(above, name, AS_FOLDER);
	int ret;

	umask(OTHERS);
	if (fd < 0 && errno == ENOENT &&
	    (mkdirat(above, name, 0700) == 0 || errno == EEXIST))
		fd = openat(above, name, AS_FOLDER);
	why = fd < 0 ? strerror(errno) : fault(fd);
	if (why)
		return err_printf(err,
				  "%s: can't use the folder %s: %s; "
				  "XDG_STATE_HOME names another one",
				  key, path, why);
	ret = fd;
	fd = -1;
	return ret;
}

int state_folder_open(const char *key, const char *path, struct err *err)
{
	cleanup_free char *to = strdup(path);
	cleanup_close int above = -1;

	if (!to)
		return err_memory(err);
	*strrchr(to, '/') = '\0';
	umask(OTHERS);
	above = log_folder_open(key, to, err);
	return above < 0 ? -1 : state_folder_enter(key, above, path, err);
}

/* --- pruning --- */

struct found {
	struct timespec at;
	char name[NAME_SIZE];
};

struct finding {
	const char *suffix;
	mode_t type;
	struct found *found;
	size_t n;
};

/* JOB.STEP.REQUEUE and the suffix; of a file, anything may stand between */
static bool is_steps(const char *name, const char *suffix)
{
	for (unsigned i = 0; i < 3; i++) {
		size_t n = strspn(name, "0123456789");

		if (!n || (i < 2 && name[n] != '.'))
			return false;
		name += n + (i < 2);
	}
	if (!*suffix)
		return !*name;
	return *name == '.' && text_ends(name, suffix);
}

static void find(void *arg, int folder, const char *name)
{
	struct finding *f = arg;
	struct found *one = &f->found[f->n];
	struct stat st;

	if (f->n == NAMES_MAX || strlen(name) >= NAME_SIZE ||
	    !is_steps(name, f->suffix) ||
	    fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    (st.st_mode & S_IFMT) != f->type || st.st_uid != geteuid())
		return;
	one->at = st.st_mtim;
	strcpy(one->name, name);
	f->n++;
}

static int newest_first(const void *a, const void *b)
{
	const struct timespec *x = &((const struct found *)a)->at;
	const struct timespec *y = &((const struct found *)b)->at;

	if (x->tv_sec != y->tv_sec)
		return x->tv_sec > y->tv_sec ? -1 : 1;
	return (x->tv_nsec < y->tv_nsec) - (x->tv_nsec > y->tv_nsec);
}

static void remove_one(int folder, const char *name, mode_t type)
{
	cleanup_close int inner = -1;

	/* others may have moved here what they can write to */
	if (type == S_IFDIR) {
		inner = folder_open_own(folder, name, geteuid());
		if (inner < 0 || !folder_is_private(inner))
			return;
		folder_empty(inner);
	}
	unlinkat(folder, name, type == S_IFDIR ? AT_REMOVEDIR : 0);
}

void state_folder_prune(int folder, const char *suffix, unsigned kept)
{
	struct finding f = {
		.suffix = suffix,
		.type = *suffix ? S_IFREG : S_IFDIR,
		.found = calloc(NAMES_MAX + 1, sizeof(*f.found)),
	};

	if (!f.found)
		return;
	folder_each(folder, find, &f);
	qsort(f.found, f.n, sizeof(*f.found), newest_first);
	for (size_t i = kept; i < f.n; i++)
		remove_one(folder, f.found[i].name, f.type);
	free(f.found);
}
