/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/code/code_files.h"

#include "sys/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE 65536

/* What a file is, in a manifest. */
#define IS_PLAIN   '-'
#define IS_PROGRAM 'x'
#define IS_LINK	   'l'

static void put_hex(const unsigned char hash[crypto_hash_sha256_BYTES],
		    char ret[CODE_HEX_SIZE])
{
	sodium_bin2hex(ret, CODE_HEX_SIZE, hash, crypto_hash_sha256_BYTES);
}

void code_hex(const void *data, size_t n, char ret[CODE_HEX_SIZE])
{
	unsigned char hash[crypto_hash_sha256_BYTES];

	crypto_hash_sha256(hash, data, n);
	put_hex(hash, ret);
}

static int add_row(struct code_manifest *m, const char *hex, char kind,
		   const char *path)
{
	size_t n = CODE_ROW_HEAD + strlen(path) + 1, size = m->n + n;
	char *text = m->text;

	/* room doubles */
	if (!m->n || (m->n ^ size) > m->n) {
		while (size & (size - 1))
			size &= size - 1;
		text = realloc(text, 2 * size);
		if (!text)
			return -1;
		m->text = text;
	}
	m->n += (size_t)sprintf(text + m->n, "%s %c %s", hex, kind, path) + 1;
	m->files++;
	return 0;
}

/* The file's content, also into `out` unless that is -1. Returns 0, or -1 with
 * errno. */
static int hash_file(int in, int out, char ret[CODE_HEX_SIZE])
{
	unsigned char hash[crypto_hash_sha256_BYTES];
	crypto_hash_sha256_state state;
	char data[PIECE];
	ssize_t n;

	crypto_hash_sha256_init(&state);
	while ((n = read(in, data, sizeof(data))) > 0) {
		crypto_hash_sha256_update(&state, (unsigned char *)data,
					  (unsigned long long)n);
		if (out >= 0 && write_full(out, data, (size_t)n) < 0)
			return -1;
	}
	crypto_hash_sha256_final(&state, hash);
	put_hex(hash, ret);
	return n < 0 ? -1 : 0;
}

/* --- what was there --- */

/* The last part of a path in this folder, and its folder. Parts on the way are
 * folders and no links. */
static int enter(int folder, const char *path, bool make, const char **ret_name)
{
	int at = fcntl(folder, F_DUPFD_CLOEXEC, 0);
	const char *slash;

	for (; at >= 0 && (slash = strchr(path, '/')); path = slash + 1) {
		char part[NAME_MAX + 1];
		int next;

		snprintf(part, sizeof(part), "%.*s", (int)(slash - path), path);
		if (make)
			mkdirat(at, part, 0700);
		next = openat(at, part,
			      O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(at);
		at = next;
	}
	*ret_name = path;
	return at;
}

/* A link is kept with what it says, if that stays in the root; else it leads
 * where it did. `text` is what it says. Returns a text to free, or NULL. */
static char *aim_link(const struct code_list *list, const char *path,
		      const char *text)
{
	const char *slash = strrchr(path, '/'), *p;
	size_t root = strlen(list->root), up = 0, down = 0;
	char *ret = NULL, *above = NULL;
	int rc;

	for (p = path; (p = strchr(p, '/')); p++)
		up++;
	if (*text == '/' && !strncmp(text, list->root, root) &&
	    text[root] == '/') {
		above = calloc(up + 1, 3);
		for (size_t i = 0; above && i < up; i++)
			strcat(above, "../");
		rc = above ? asprintf(&ret, "%s%s", above, text + root + 1)
			   : -1;
		free(above);
		return rc < 0 ? NULL : ret;
	}
	for (p = text; !strncmp(p, "../", 3); p += 3)
		down++;
	if (*text == '/' ||
	    (down <= up && !strstr(p, "../") && strcmp(p, "..") != 0))
		return strdup(text);
	rc = asprintf(&ret, "%s/%.*s%s", list->root,
		      slash ? (int)(slash - path + 1) : 0, path, text);
	return rc < 0 ? NULL : ret;
}

static int copy_link(const struct code_list *list, const char *path,
		     int from_folder, const char *name, int to_folder,
		     struct code_manifest *m)
{
	char text[PATH_MAX], hex[CODE_HEX_SIZE];
	cleanup_free char *to = NULL;
	ssize_t n = readlinkat(from_folder, name, text, sizeof(text) - 1);

	if (n <= 0)
		return 1;
	text[n] = '\0';
	to = aim_link(list, path, text);
	if (!to)
		return -1;
	code_hex(to, strlen(to), hex);
	if (symlinkat(to, to_folder, name) < 0)
		return -1;
	return add_row(m, hex, IS_LINK, path);
}

static int copy_file(const char *path, int in, const struct stat *st,
		     int to_folder, const char *name, struct code_manifest *m)
{
	bool program = st->st_mode & 0111;
	struct timespec times[2] = {st->st_atim, st->st_mtim};
	char hex[CODE_HEX_SIZE];
	cleanup_close int out =
		openat(to_folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		       program ? 0500 : 0400);

	if (out < 0 || hash_file(in, out, hex) < 0 || futimens(out, times) < 0)
		return -1;
	return add_row(m, hex, program ? IS_PROGRAM : IS_PLAIN, path);
}

/* Returns 0, 1: it isn't there, or -1 with errno. */
static int copy_one(const struct code_list *list, int root, int to,
		    const char *path, struct code_manifest *m)
{
	const char *name;
	cleanup_close int from_folder = enter(root, path, false, &name);
	cleanup_close int in = -1, to_folder = -1;
	struct stat st;

	if (from_folder < 0)
		return 1;
	in = openat(from_folder, name,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (in < 0 && errno != ELOOP)
		return 1;
	if (in >= 0 && (fstat(in, &st) < 0 || !S_ISREG(st.st_mode)))
		return 1;
	to_folder = enter(to, path, true, &name);
	if (to_folder < 0)
		return -1;
	return in < 0 ? copy_link(list, path, from_folder, name, to_folder, m)
		      : copy_file(path, in, &st, to_folder, name, m);
}

void code_link_ignored(const struct code_list *list, int to)
{
	for (size_t i = 0; i < list->nlinks; i++) {
		const char *name;
		cleanup_close int folder =
			enter(to, list->link[i], true, &name);
		cleanup_free char *there = NULL;

		/* a program that is kept all the same is there already */
		if (folder >= 0 &&
		    asprintf(&there, "%s/%s", list->root, list->link[i]) >= 0 &&
		    symlinkat(there, folder, name) < 0)
			continue;
	}
}

int code_copy(const struct code_list *list, int to, struct code_manifest *ret,
	      struct err *err)
{
	cleanup_close int root =
		open(list->root, O_PATH | O_DIRECTORY | O_CLOEXEC);

	*ret = (struct code_manifest){.n = 0};
	if (root < 0)
		return err_printf(err, "code=freeze: can't read %s: %s",
				  list->root, strerror(errno));
	for (size_t i = 0; i < list->n; i++)
		if (copy_one(list, root, to, list->file[i].path, ret) < 0)
			return err_printf(err,
					  "code=freeze: can't keep %s/%s: %s",
					  list->root, list->file[i].path,
					  strerror(errno));
	code_hex(ret->text ? ret->text : "", ret->n, ret->hex);
	return 0;
}

/* --- whether it still is --- */

static bool is_whole(int folder, const char *row)
{
	const char *path = row + CODE_ROW_HEAD, *name;
	cleanup_close int at = enter(folder, path, false, &name), fd = -1;
	char text[PATH_MAX], hex[CODE_HEX_SIZE];
	ssize_t n;

	if (at < 0)
		return false;
	if (row[CODE_HEX_SIZE] == IS_LINK) {
		n = readlinkat(at, name, text, sizeof(text));
		code_hex(text, n > 0 ? (size_t)n : 0, hex);
	} else {
		fd = openat(at, name,
			    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0 || hash_file(fd, -1, hex) < 0)
			return false;
	}
	return !strncmp(hex, row, CODE_HEX_SIZE - 1);
}

bool code_copy_is_whole(int folder, const char *manifest, size_t n,
			const char **ret_name)
{
	for (size_t at = 0; at + CODE_ROW_HEAD < n;
	     at += strlen(manifest + at) + 1) {
		*ret_name = manifest + at + CODE_ROW_HEAD;
		if (!is_whole(folder, manifest + at))
			return false;
	}
	return true;
}

void code_manifest_clear(struct code_manifest *m)
{
	free(m->text);
	*m = (struct code_manifest){.n = 0};
}
