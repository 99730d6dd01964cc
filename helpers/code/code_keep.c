/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a job has of its program's files, over all of its lives. In the user's
 * state folder, or in record=DIR, is a folder `code', in it
 *
 *	JOB.CLUSTER.PROGRAM	which copy the job has; PROGRAM is a hash of
 *				its file's name
 *	HASH			a copy: files, manifest, path (code_path.py),
 *				and told, when the user was told once
 *
 * A copy comes into being under another name; half a one is never used. Jobs
 * with the same files share one. What no step has used for KEPT_S goes when
 * another one is made.
 */
#include "core/base/parse.h"
#include "helpers/code/code.h"
#include "helpers/code/code_files.h"
#include "sys/folder.h"
#include "sys/kept/log_open.h"
#include "sys/kept/state_folder.h"
#include "sys/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char path_script[] =
#include "code_path_py.h"
	;

#define KEPT_S	     (60L * 24 * 3600)
#define SHORT	     40 /* digits of a hash in a name */
#define MANIFEST_MAX (64UL << 20)
#define ENTRY_MAX    (4 * PATH_MAX)
#define NAME_SIZE    192

struct keeper {
	const struct code_wish *wish;
	struct code_program program;
	char path[PATH_MAX];   /* of the folder of all copies */
	int folder;	       /* the same; -1 */
	char entry[NAME_SIZE]; /* the job's in it */
};

/* --- what a child says --- */

static int say(const int fd[2], enum code_answer answer, const char *text)
{
	char first = (char)answer;

	return write_full(fd[1], &first, 1) < 0 ||
			       write_full(fd[1], text, strlen(text)) < 0
		       ? EXIT_FAILURE
		       : EXIT_SUCCESS;
}

/* --- where --- */

static int open_folder(struct keeper *k, struct err *err)
{
	cleanup_free char *own = k->wish->folder ? NULL : state_folder_path();
	const char *above = k->wish->folder ? k->wish->folder : own;
	cleanup_close int fd = -1;

	if (!above)
		return err_printf(err,
				  "code=freeze: there is no folder for the "
				  "copy: HOME isn't set; XDG_STATE_HOME or "
				  "record=DIR names one");
	fd = k->wish->folder ? log_folder_open("code=freeze", above, err)
			     : state_folder_open("code=freeze", above, err);
	if (fd < 0)
		return -1;
	snprintf(k->path, sizeof(k->path), "%s/code", above);
	k->folder = state_folder_enter("code=freeze", fd, k->path, err);
	return k->folder < 0 ? -1 : 0;
}

static void name_entry(struct keeper *k)
{
	const char *what =
		*k->program.file ? k->program.file : k->program.folder;
	char hex[CODE_HEX_SIZE];

	code_hex(what, strlen(what), hex);
	snprintf(k->entry, sizeof(k->entry), "%.100s.%.*s", k->wish->job, 16,
		 hex);
	for (char *p = k->entry; *p; p++)
		if (*p == '/')
			*p = '_';
}

/* Text of a file in an open folder; NULL: it isn't there. */
static char *read_at(int folder, const char *name, size_t max, size_t *ret_n)
{
	cleanup_close int fd =
		openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    (size_t)st.st_size > max)
		return NULL;
	return read_to_end(fd, max, ret_n);
}

static int write_at(int folder, const char *name, const char *text, size_t n)
{
	cleanup_close int fd = openat(
		folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0400);

	return fd < 0 || write_full(fd, text, n) < 0 || fsync(fd) < 0 ? -1 : 0;
}

/* --- what the job has --- */

/* It was used now. */
static void touch(int folder, const char *name)
{
	utimensat(folder, name, NULL, AT_SYMLINK_NOFOLLOW);
}

/* Clusters that are set up anew count their jobs from 1 again: it is of this
 * job if this life may have written it, or one before. */
static bool is_of_job(const struct keeper *k, long began, unsigned life)
{
	const struct code_wish *w = k->wish;

	if (life != w->life)
		return life < w->life &&
		       (!began || !w->began || began <= w->began);
	return !began || !w->began || began == w->began;
}

/* BEGAN LIFE\n and a struct code's text. Returns what is behind it, to free;
 * NULL: this job has kept nothing yet. */
static char *find_entry(const struct keeper *k, bool *ret_stale)
{
	size_t n;
	cleanup_free char *text = read_at(k->folder, k->entry, ENTRY_MAX, &n);
	long began;
	unsigned life;
	char *line = text ? strchr(text, '\n') : NULL;

	*ret_stale = true;
	if (!line || sscanf(text, "%ld %u", &began, &life) != 2 ||
	    !is_of_job(k, began, life))
		return NULL;
	*ret_stale = false;
	return strdup(line + 1);
}

/* Of two steps the first one's counts. */
static int write_entry(const struct keeper *k, const char *code,
		       struct err *err)
{
	cleanup_free char *text = NULL;
	char name[NAME_SIZE + 32];
	int rc;

	if (asprintf(&text, "%ld %u\n%s", k->wish->began, k->wish->life, code) <
	    0)
		return err_memory(err);
	snprintf(name, sizeof(name), ".%s.%d", k->entry, getpid());
	rc = write_at(k->folder, name, text, strlen(text));
	if (rc == 0 && linkat(k->folder, name, k->folder, k->entry, 0) < 0 &&
	    errno != EEXIST)
		rc = renameat(k->folder, name, k->folder, k->entry);
	if (rc < 0)
		err_printf(err, "code=freeze: can't write %s/%s: %s", k->path,
			   k->entry, strerror(errno));
	unlinkat(k->folder, name, 0);
	return rc;
}

/* --- a copy --- */

static void remove_copy(int above, const char *name)
{
	int fd = folder_open_own(above, name, geteuid());

	if (fd < 0)
		return;
	folder_empty(fd);
	close(fd);
	unlinkat(above, name, AT_REMOVEDIR);
}

static void prune_one(void *arg, int folder, const char *name)
{
	const time_t *before = arg;
	struct stat st;

	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    st.st_mtime >= *before)
		return;
	if (S_ISDIR(st.st_mode))
		remove_copy(folder, name);
	else
		unlinkat(folder, name, 0);
}

static void prune(int folder)
{
	time_t before = time(NULL) - KEPT_S;

	folder_each(folder, prune_one, &before);
}

/* The same files of another folder have links to other ones. */
static void name_copy(const struct code_list *list,
		      const struct code_manifest *m, char ret[SHORT + 1])
{
	char text[CODE_HEX_SIZE + PATH_MAX], hex[CODE_HEX_SIZE];

	snprintf(text, sizeof(text), "%s\n%s", m->hex, list->root);
	code_hex(text, strlen(text), hex);
	snprintf(ret, SHORT + 1, "%.*s", SHORT, hex);
}

static int fill_copy(const struct code_list *list, int at,
		     struct code_manifest *m, struct err *err)
{
	cleanup_close int files = -1, path = -1;

	if (mkdirat(at, "files", 0700) == 0 && mkdirat(at, "path", 0700) == 0) {
		files = openat(at, "files", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		path = openat(at, "path", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	if (files >= 0 && code_copy(list, files, m, err) < 0)
		return -1;
	if (files < 0 || path < 0 ||
	    write_at(at, "manifest", m->text ? m->text : "", m->n) < 0 ||
	    write_at(path, "sitecustomize.py", path_script,
		     sizeof(path_script) - 1) < 0)
		return err_printf(err, "code=freeze: can't write the copy: %s",
				  strerror(errno));
	return 0;
}

/* Whether the copy of that name is all there. */
static int check_copy(const struct keeper *k, const char *name, struct err *err)
{
	cleanup_close int at = folder_open_own(k->folder, name, geteuid());
	cleanup_close int files =
		at < 0 ? -1
		       : openat(at, "files",
				O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cleanup_free char *manifest = NULL;
	const char *what = "manifest";
	size_t n;

	if (files >= 0)
		manifest = read_at(at, "manifest", MANIFEST_MAX, &n);
	if (manifest && code_copy_is_whole(files, manifest, n, &what)) {
		touch(k->folder, name);
		return 0;
	}
	return err_printf(err,
			  "code=freeze: the copy in %s/%s was changed or "
			  "removed (%.300s), and the first round's files "
			  "aren't there any more; code=live runs those that "
			  "are there now",
			  k->path, name, what);
}

/* Under a name that nobody uses, then under its own. */
static int make_copy(const struct keeper *k, const struct code_list *list,
		     struct code_manifest *m, char ret[SHORT + 1],
		     struct err *err)
{
	char name[64];
	cleanup_close int at = -1;
	int rc = -1;

	snprintf(name, sizeof(name), ".new-%.16s-%d", k->entry, getpid());
	remove_copy(k->folder, name);
	if (mkdirat(k->folder, name, 0700) == 0)
		at = folder_open_own(k->folder, name, geteuid());
	if (at < 0)
		return err_printf(err, "code=freeze: can't make %s/%s: %s",
				  k->path, name, strerror(errno));
	if (fill_copy(list, at, m, err) == 0) {
		name_copy(list, m, ret);
		/* another job's, with the same files */
		if (check_copy(k, ret, err) < 0)
			remove_copy(k->folder, ret);
		rc = renameat(k->folder, name, k->folder, ret);
		if (rc < 0 && (errno == EEXIST || errno == ENOTEMPTY))
			rc = 0;
		if (rc < 0)
			err_printf(err, "code=freeze: can't make %s/%s: %s",
				   k->path, ret, strerror(errno));
	}
	remove_copy(k->folder, name);
	return rc;
}

/* The program's file without links, and the list of what is its own. */
static int find_files(const struct keeper *k, struct code_list *list,
		      char file[PATH_MAX], struct err *err)
{
	const struct code_program *p = &k->program;
	char folder[PATH_MAX], *slash;

	*file = '\0';
	if (!realpath(*p->file ? p->file : p->folder, folder))
		return err_printf(err, "code=freeze: can't find %s: %s",
				  *p->file ? p->file : p->folder,
				  strerror(errno));
	if (*p->file) {
		strcpy(file, folder);
		slash = strrchr(folder, '/');
		slash[slash == folder] = '\0';
	}
	return code_list_make(folder, file, list, err);
}

static int find_copy(const struct keeper *k, const struct code_list *list,
		     const char *file, char **ret_code, struct err *err)
{
	__attribute__((cleanup(code_manifest_clear))) struct code_manifest m = {
		.n = 0};
	char name[SHORT + 1], copy[PATH_MAX + NAME_SIZE];
	cleanup_close int files = -1;

	prune(k->folder);
	if (make_copy(k, list, &m, name, err) < 0)
		return -1;
	snprintf(copy, sizeof(copy), "%s/%s/files", k->path, name);
	files = open(copy, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (files >= 0)
		code_link_ignored(list, files);
	if (asprintf(ret_code, "%s%s\n%s%s\n%s\n%s/%s\n%s\n%s\n%u", CODE_HASH,
		     m.hex, list->commit,
		     *list->commit && code_git_differs(list, copy) ? "+" : "",
		     list->root, k->path, name, k->program.file,
		     *file ? file + strlen(list->root) + 1 : "",
		     k->wish->life) < 0)
		return err_memory(err);
	return 0;
}

/* --- the job's --- */

static int keep_now(const struct keeper *k, char **ret_code, struct err *err)
{
	__attribute__((cleanup(code_list_clear))) struct code_list list = {
		.n = 0};
	char file[PATH_MAX];

	if (find_files(k, &list, file, err) < 0 ||
	    find_copy(k, &list, file, ret_code, err) < 0)
		return -1;
	return write_entry(k, *ret_code, err);
}

static int find_or_keep(const struct keeper *k, char **ret_code,
			struct err *err)
{
	cleanup_free char *made = NULL;
	struct code code;
	bool stale;
	int rc;

	*ret_code = find_entry(k, &stale);
	if (!*ret_code) {
		if (stale)
			unlinkat(k->folder, k->entry, 0);
		if (keep_now(k, &made, err) < 0)
			return -1;
		*ret_code = find_entry(k, &stale); /* another step's, maybe */
	}
	if (!*ret_code || code_parse(*ret_code, &code) < 0)
		return err_printf(err,
				  "code=freeze: %s/%s isn't what was "
				  "written",
				  k->path, k->entry);
	touch(k->folder, k->entry);
	rc = made ? 0 : check_copy(k, base_name(code.kept), err);
	code_clear(&code);
	return rc;
}

/* Of another node: its copy is seen from here, or this node has the same
 * files. */
static int keep_as_told(const struct keeper *k, char **ret_code,
			struct err *err)
{
	struct code told, own = {.text = NULL};
	char path[PATH_MAX];
	int rc = -1;

	if (code_parse(k->wish->told, &told) < 0)
		return err_printf(err, "code=freeze: a wrong message");
	snprintf(path, sizeof(path), "%s/manifest", told.kept);
	if (access(path, R_OK) == 0) {
		*ret_code = strdup(k->wish->told);
		rc = *ret_code ? 0 : err_memory(err);
	} else if (find_or_keep(k, ret_code, err) == 0 &&
		   code_parse(*ret_code, &own) == 0 &&
		   strcmp(own.hash, told.hash) == 0) {
		rc = 0;
	} else {
		err_printf(err,
			   "code=freeze: this node doesn't see %s, and hasn't "
			   "the same files; record=DIR names a folder that all "
			   "nodes see",
			   told.kept);
	}
	code_clear(&own);
	code_clear(&told);
	return rc;
}

int code_keep(const int fd[2], const void *arg)
{
	struct keeper k = {.wish = arg, .folder = -1};
	cleanup_free char *code = NULL;
	struct err err;
	int rc;

	if (code_program_find(k.wish->argv, &k.program, &err) < 0)
		return say(fd, CODE_NOT, err.text);
	name_entry(&k);
	rc = open_folder(&k, &err);
	if (rc == 0)
		rc = k.wish->told ? keep_as_told(&k, &code, &err)
				  : find_or_keep(&k, &code, &err);
	return say(fd, rc < 0 ? CODE_FAULT : CODE_KEPT,
		   rc < 0 ? err.text : code);
}

int code_show(const int fd[2], const void *arg)
{
	__attribute__((cleanup(code_list_clear))) struct code_list list = {
		.n = 0};
	struct keeper k = {.wish = arg};
	char file[PATH_MAX], line[2 * PATH_MAX + 256];
	struct err err;

	if (code_program_find(k.wish->argv, &k.program, &err) < 0)
		snprintf(line, sizeof(line), "code=freeze: nothing is kept: %s",
			 err.text);
	else if (find_files(&k, &list, file, &err) < 0)
		snprintf(line, sizeof(line), "%s", err.text);
	else
		snprintf(line, sizeof(line),
			 "code=freeze: keeps %zu file%s of %s%s%s%.12s", list.n,
			 list.n == 1 ? "" : "s",
			 list.git ? "the git work tree " : "", list.root,
			 *list.commit ? ", commit " : "", list.commit);
	return write_full(fd[1], line, strlen(line)) < 0 ? EXIT_FAILURE
							 : EXIT_SUCCESS;
}

/* --- what a program has written there --- */

struct beside {
	const char **known; /* names in the manifest, in order */
	size_t nknown;
	unsigned n;
	char first[PATH_MAX];
	const char *below; /* of the folder that is looked at */
	unsigned depth;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void look_beside(void *arg, int folder, const char *name)
{
	struct beside *b = arg;
	char path[PATH_MAX];
	const char *key = path, *below = b->below;
	struct stat st;
	int n = snprintf(path, sizeof(path), "%s%s%s", below, *below ? "/" : "",
			 name);

	if (n < 0 || n >= PATH_MAX || code_is_left_out(name) ||
	    fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	if (S_ISDIR(st.st_mode) && b->depth < FOLDER_DEPTH_MAX) {
		cleanup_close int inner =
			folder_open_own(folder, name, geteuid());

		b->below = path;
		b->depth++;
		if (inner >= 0)
			folder_each(inner, look_beside, b);
		b->depth--;
		b->below = below;
	} else if (S_ISREG(st.st_mode) &&
		   !bsearch(&key, b->known, b->nknown, sizeof(key), by_name)) {
		if (!b->n++)
			strcpy(b->first, path);
	}
}

static int read_known(const char *manifest, size_t n, struct beside *b)
{
	size_t nrows = 0;

	for (size_t i = 0; i < n; i++)
		nrows += !manifest[i];
	b->known = calloc(nrows + 1, sizeof(*b->known));
	if (!b->known)
		return -1;
	for (size_t at = 0; b->nknown < nrows; at += strlen(manifest + at) + 1)
		b->known[b->nknown++] = manifest + at + CODE_ROW_HEAD;
	return 0;
}

int code_beside(const int fd[2], const void *arg)
{
	const struct code *code = arg;
	struct beside b = {.below = ""};
	cleanup_close int at = open(code->kept, O_RDONLY | O_DIRECTORY |
							O_NOFOLLOW | O_CLOEXEC);
	cleanup_close int files =
		at < 0 ? -1
		       : openat(at, "files",
				O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	size_t n = 0;
	cleanup_free char *manifest =
		files < 0 ? NULL : read_at(at, "manifest", MANIFEST_MAX, &n);
	char line[2 * PATH_MAX + 512];

	if (!manifest || faccessat(at, "told", F_OK, 0) == 0 ||
	    read_known(manifest, n, &b) < 0)
		return EXIT_FAILURE;
	folder_each(files, look_beside, &b);
	free(b.known);
	if (!b.n || write_at(at, "told", "", 0) < 0)
		return EXIT_SUCCESS;
	snprintf(line, sizeof(line),
		 "dist-train: code=freeze: the program writes beside its own "
		 "file, where its kept copy is: %s/files/%s%s; a path from the "
		 "working directory or $DIST_TRAIN_CODE_FOLDER on leads to "
		 "your own folder\n",
		 code->kept, b.first, b.n > 1 ? " and others" : "");
	return write_full(fd[1], line, strlen(line)) < 0 ? EXIT_FAILURE
							 : EXIT_SUCCESS;
}
