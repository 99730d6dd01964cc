/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/copies/growing.h"

#include "core/base/parse.h"
#include "sys/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BLOCK	   (64U << 10)
#define WAIT_US	   20000
#define MODES	   0777
#define OWNERS_ALL 0700 /* a copy's folders can be removed */
#define AS_FOLDER  (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* What the list has, and what is sent; a name follows, then of what is sent so
 * many bytes: what a file has, or where a link leads. Without a name it is the
 * end. */
struct entry {
	uint64_t size;
	int64_t mtime_s;
	uint32_t mtime_ns, mode;
	uint32_t nname; /* with its NUL */
	uint32_t unused;
};

int growing_open(struct growing *ret)
{
	void *shared;

	*ret = GROWING_NONE;
	ret->list = memfd_create("list", MFD_CLOEXEC);
	if (ret->list < 0 || fcntl(ret->list, F_SETFL, O_APPEND) < 0)
		return -1;
	shared = mmap(NULL, sizeof(*ret->grown), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return -1;
	ret->grown = shared;
	return 0;
}

void growing_close(struct growing *g)
{
	if (g->list >= 0)
		close(g->list);
	if (g->grown)
		munmap(g->grown, sizeof(*g->grown));
	*g = GROWING_NONE;
}

/* --- who fills it --- */

void growing_more(const struct growing *g, size_t n)
{
	g->grown->bytes += n;
}

void growing_end(const struct growing *g)
{
	g->grown->whole = true;
}

/* One write for all of it: several threads do it. */
int growing_list(const struct growing *g, const char *path,
		 const struct stat *st)
{
	char all[sizeof(struct entry) + PATH_MAX];
	size_t n = strlen(path) + 1;
	const struct entry e = {
		.size = (uint64_t)st->st_size,
		.mtime_s = st->st_mtim.tv_sec,
		.mtime_ns = (uint32_t)st->st_mtim.tv_nsec,
		.mode = st->st_mode & (S_IFMT | MODES),
		.nname = (uint32_t)n,
	};

	if (n > PATH_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(all, &e, sizeof(e));
	memcpy(all + sizeof(e), path, n);
	n += sizeof(e);
	return write(g->list, all, n) == (ssize_t)n ? 0 : -1;
}

/* --- who packs it --- */

struct packing {
	const struct growing *g;
	int folder;
	FILE *out;
	off_t at; /* in the list */
	struct entry entry;
	char name[PATH_MAX], *block;
	bool whole; /* it was, before it was looked whether there is more */
};

static int put(const struct packing *p, const void *data, size_t n)
{
	return n && fwrite(data, n, 1, p->out) != 1 ? -1 : 0;
}

/* Not as soon as there is more: a piece has many small files. */
static void wait_for_more(const struct packing *p)
{
	fflush(p->out);
	usleep(WAIT_US);
}

/* It may be half there. */
static bool has_next(struct packing *p)
{
	const struct entry *e = &p->entry;
	ssize_t n;

	if (pread(p->g->list, &p->entry, sizeof(*e), p->at) !=
	    (ssize_t)sizeof(*e))
		return false;
	n = pread(p->g->list, p->name, e->nname, p->at + (off_t)sizeof(*e));
	if (n != (ssize_t)e->nname)
		return false;
	p->at += (off_t)(sizeof(*e) + e->nname);
	return true;
}

static int put_head(const struct packing *p)
{
	return put(p, &p->entry, sizeof(p->entry)) < 0 ||
			       put(p, p->name, p->entry.nname) < 0
		       ? -1
		       : 0;
}

static int pack_link(struct packing *p)
{
	ssize_t n = readlinkat(p->folder, p->name, p->block, PATH_MAX - 1);

	if (n < 0)
		return -1;
	p->entry.size = (uint64_t)n;
	return put_head(p) < 0 ? -1 : put(p, p->block, (size_t)n);
}

/* What Python compiles takes the place of a file that is listed, and is listed
 * again: of the first one that which isn't there doesn't matter. */
static ssize_t read_or_fill(const struct packing *p, int in, size_t n)
{
	ssize_t got = read(in, p->block, n);

	if (got == 0 && p->whole && strstr(p->name, "/__pycache__/")) {
		memset(p->block, 0, n);
		got = (ssize_t)n;
	}
	return got;
}

static int pack_file(struct packing *p)
{
	cleanup_close int in =
		openat(p->folder, p->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	uint64_t left = p->entry.size;

	if (in < 0 || put_head(p) < 0)
		return -1;
	while (left) {
		ssize_t n;

		p->whole = p->g->grown->whole;
		n = read_or_fill(p, in, left < BLOCK ? left : BLOCK);
		if (n < 0 || (n == 0 && p->whole) ||
		    (n > 0 && put(p, p->block, (size_t)n) < 0))
			return -1;
		if (n == 0)
			wait_for_more(p);
		left -= (uint64_t)n;
	}
	return 0;
}

static int pack_entry(struct packing *p)
{
	if (S_ISREG(p->entry.mode))
		return pack_file(p);
	if (S_ISLNK(p->entry.mode))
		return pack_link(p);
	p->entry.size = 0;
	return put_head(p);
}

static int pack_all(struct packing *p)
{
	static const struct entry end = {.nname = 0};

	for (;;) {
		p->whole = p->g->grown->whole;
		if (!has_next(p)) {
			if (p->whole)
				return put(p, &end, sizeof(end)) < 0
					       ? -1
					       : fflush(p->out);
			wait_for_more(p);
		} else if (pack_entry(p) < 0) {
			return -1;
		}
	}
}

int growing_pack(const struct growing *growing, int folder, int out)
{
	cleanup_free char *block = malloc(BLOCK);
	cleanup_free struct packing *p = calloc(1, sizeof(*p));

	FILE *f = fdopen(dup(out), "w");
	int rc;

	if (!p || !block || !f)
		return -1;
	setvbuf(f, NULL, _IOFBF, BLOCK);
	p->g = growing;
	p->folder = folder;
	p->out = f;
	p->block = block;
	rc = pack_all(p);
	fclose(f);
	return rc;
}

/* --- who unpacks it --- */

struct unpacking {
	const struct growing *g;
	int folder;
	FILE *in;
	struct entry entry;
	char name[PATH_MAX], *block;
	/* The folder that it is in: many of one follow each other */
	int above;
	char above_name[PATH_MAX];
	struct err *err;
};

static int fail(const struct unpacking *u)
{
	return err_printf(u->err, "%.700s: %s", u->name, strerror(errno));
}

/* What was packed ends too early. */
static int is_cut(const struct unpacking *u)
{
	*u->err->text = '\0';
	return -1;
}

static bool is_no_name(const char *name)
{
	return !*name || !strcmp(name, ".") || !strcmp(name, "..");
}

/* Step by step, along no link, and never up. */
static int open_above(const struct unpacking *u)
{
	int at = openat(u->folder, ".", AS_FOLDER);
	char part[NAME_MAX + 1];

	for (const char *name = u->name, *end;
	     at >= 0 && (end = strchr(name, '/')); name = end + 1) {
		int above = at;

		snprintf(part, sizeof(part), "%.*s", (int)(end - name), name);
		errno = EINVAL;
		at = is_no_name(part) ? -1 : openat(above, part, AS_FOLDER);
		close(above);
	}
	return at;
}

static int enter(struct unpacking *u)
{
	size_t n = (size_t)(base_name(u->name) - u->name);

	if (u->above >= 0 && strlen(u->above_name) == n &&
	    !strncmp(u->above_name, u->name, n))
		return 0;
	if (u->above >= 0)
		close(u->above);
	u->above = open_above(u);
	snprintf(u->above_name, sizeof(u->above_name), "%.*s", (int)n, u->name);
	return u->above < 0 ? -1 : 0;
}

static int list_it(const struct unpacking *u)
{
	const struct stat st = {
		.st_size = (off_t)u->entry.size,
		.st_mtim = {u->entry.mtime_s, u->entry.mtime_ns},
		.st_mode = u->entry.mode,
	};

	return growing_list(u->g, u->name, &st);
}

static int make_folder(const struct unpacking *u, const char *name)
{
	cleanup_close int fd = -1;

	if (mkdirat(u->above, name, OWNERS_ALL) < 0 && errno != EEXIST)
		return -1;
	fd = openat(u->above, name, AS_FOLDER);
	if (fd < 0 || fchmod(fd, (u->entry.mode & MODES) | OWNERS_ALL) < 0)
		return -1;
	return list_it(u);
}

/* Returns 0, or -1 with errno; 1: it ends too early. */
static int fill_file(const struct unpacking *u, int out)
{
	for (uint64_t left = u->entry.size; left;) {
		size_t n =
			fread(u->block, 1, left < BLOCK ? left : BLOCK, u->in);

		if (!n)
			return 1;
		if (write_full(out, u->block, n) < 0)
			return -1;
		growing_more(u->g, n);
		left -= n;
	}
	return 0;
}

static int make_file(const struct unpacking *u, const char *name)
{
	const struct timespec mtime = {u->entry.mtime_s, u->entry.mtime_ns};
	cleanup_close int out = openat(
		u->above, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int rc;

	if (out < 0 || list_it(u) < 0)
		return -1;
	rc = fill_file(u, out);
	if (rc)
		return rc;
	return fchmod(out, u->entry.mode & MODES) < 0 ||
			       futimens(out,
					(struct timespec[]){mtime, mtime}) < 0
		       ? -1
		       : 0;
}

static int make_link(const struct unpacking *u, const char *name)
{
	char *to = u->block;
	size_t n = u->entry.size;

	if (n >= PATH_MAX || fread(to, 1, n, u->in) != n)
		return 1;
	to[n] = '\0';
	return symlinkat(to, u->above, name) < 0 ? -1 : list_it(u);
}

static int make_entry(struct unpacking *u)
{
	const char *name = base_name(u->name);
	int rc;

	errno = EINVAL;
	if (is_no_name(name) || enter(u) < 0)
		return fail(u);
	if (!S_ISDIR(u->entry.mode) && unlinkat(u->above, name, 0) < 0 &&
	    errno != ENOENT)
		return fail(u);
	if (S_ISDIR(u->entry.mode))
		rc = make_folder(u, name);
	else if (S_ISREG(u->entry.mode))
		rc = make_file(u, name);
	else
		rc = make_link(u, name);
	return rc < 0 ? fail(u) : rc > 0 ? is_cut(u) : 0;
}

static bool get_head(struct unpacking *u)
{
	const struct entry *e = &u->entry;

	return fread(&u->entry, sizeof(*e), 1, u->in) == 1 &&
	       e->nname <= PATH_MAX &&
	       fread(u->name, 1, e->nname, u->in) == e->nname &&
	       (!e->nname || !u->name[e->nname - 1]);
}

static int unpack_all(struct unpacking *u)
{
	while (get_head(u)) {
		if (!u->entry.nname) {
			growing_end(u->g);
			return 0;
		}
		if (make_entry(u) < 0)
			return -1;
	}
	return is_cut(u);
}

int growing_unpack(const struct growing *growing, int folder, int in,
		   struct err *err)
{
	cleanup_free char *block = malloc(BLOCK);
	cleanup_free struct unpacking *u = calloc(1, sizeof(*u));
	FILE *f = fdopen(dup(in), "r");
	int rc;

	if (!u || !block || !f)
		return err_memory(err);
	setvbuf(f, NULL, _IOFBF, BLOCK);
	*u = (struct unpacking){
		.g = growing,
		.folder = folder,
		.in = f,
		.block = block,
		.above = -1,
		.err = err,
	};
	rc = unpack_all(u);
	if (u->above >= 0)
		close(u->above);
	fclose(f);
	return rc;
}
