/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/copies/tree.h"

#include "sys/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sodium.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define THREADS	   16
#define BLOCK	   (256U << 10)
#define FILES_WAIT 256 /* that wait; a thread copies the next one itself */
#define DEPTH_MAX  (FOLDER_DEPTH_MAX - 2) /* what folder_empty() can remove */
#define MODES	   0777
#define OWNERS_ALL 0700 /* a copy's folders can be removed */

typedef crypto_generichash_state sum_state;

struct folder {
	struct folder *next_todo, *next;
	unsigned depth;
	bool is_file; /* none: a file to copy, for whoever is free */
	struct stat st;
	bool compiled; /* by Python, or below such a one */
	unsigned char id[16], whole[16];
	char path[]; /* from the base on */
};

struct tree {
	int base, to;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct folder *todo, *all;
	unsigned long nfolders, nfiles_todo, nbusy;
	_Atomic bool failed;
	struct err err; /* of the first that has failed */
	unsigned long long bytes;
	unsigned long files;
	const struct growing *growing; /* or NULL */
};

/* What one thread has while it is in one folder, or at a file. */
struct visit {
	struct tree *tree;
	const struct folder *folder; /* NULL: the base itself */
	int in, out;		     /* out -1: nothing is copied */
	char *block;
	bool compiled; /* what is looked at now: it doesn't count */
	sum_state id, whole;
	unsigned long long bytes;
	unsigned long files;
};

/* --- what counts --- */

static void count(struct visit *v, const void *data, size_t n)
{
	if (v->compiled)
		return;
	crypto_generichash_update(&v->id, data, n);
	crypto_generichash_update(&v->whole, data, n);
}

static void begin_sums(struct visit *v)
{
	crypto_generichash_init(&v->id, NULL, 0, 16);
	crypto_generichash_init(&v->whole, NULL, 0, 16);
}

static void count_entry(struct visit *v, const char *name,
			const struct stat *st)
{
	uint64_t what[3] = {st->st_mode & (S_IFMT | MODES)};

	if (v->compiled)
		return;
	if (!S_ISREG(st->st_mode))
		what[0] &= S_IFMT;
	if (S_ISREG(st->st_mode)) {
		what[1] = (uint64_t)st->st_size;
		what[2] = (uint64_t)st->st_mtim.tv_sec;
		crypto_generichash_update(&v->id,
					  (const void *)&st->st_mtim.tv_nsec,
					  sizeof(st->st_mtim.tv_nsec));
	}
	count(v, name, strlen(name) + 1);
	count(v, what, sizeof(what));
}

/* --- one entry --- */

static int fail(const struct visit *v, const char *name, const char *why,
		struct err *err)
{
	return err_printf(err, "%.400s%s%.400s: %s",
			  v->folder ? v->folder->path : "",
			  v->folder ? "/" : "", name, why);
}

/* For those that it is passed on to, who may need it at once. */
static int list(const struct visit *v, const char *name, const struct stat *st,
		struct err *err)
{
	const char *above = v->folder ? v->folder->path : "";
	char path[PATH_MAX];

	if (!v->tree->growing)
		return 0;
	snprintf(path, sizeof(path), "%s%s%s", above, *above ? "/" : "", name);
	if (growing_list(v->tree->growing, path, st) < 0)
		return fail(v, name, strerror(errno), err);
	return 0;
}

static bool is_new(const struct visit *v, const struct stat *st)
{
	const struct timespec *since = &v->tree->growing->since;

	return st->st_ctim.tv_sec > since->tv_sec ||
	       (st->st_ctim.tv_sec == since->tv_sec &&
		st->st_ctim.tv_nsec >= since->tv_nsec);
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* All that the file has. Returns its bytes, or -1 with errno. */
static off_t pump(int in, int out, const struct visit *v)
{
	char *block = v->block;
	off_t all = 0;
	ssize_t n;

	while ((n = read(in, block, BLOCK)) > 0) {
		for (ssize_t gone = 0, w; gone < n; gone += w) {
			w = write(out, block + gone, (size_t)(n - gone));
			if (w < 0)
				return -1;
		}
		all += n;
		if (v->tree->growing)
			growing_more(v->tree->growing, (size_t)n);
	}
	return n < 0 ? -1 : all;
}

static int copy_file(const struct visit *v, const char *name,
		     const struct stat *st, struct err *err)
{
	cleanup_close int in = openat(
		v->in, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	cleanup_close int out =
		in < 0 ? -1
		       : openat(v->out, name,
				O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	const struct timespec times[2] = {st->st_mtim, st->st_mtim};
	struct stat now;
	off_t n;

	if (out < 0)
		return fail(v, name, strerror(errno), err);
	if (list(v, name, st, err) < 0)
		return -1;
	n = pump(in, out, v);
	if (n < 0 || fstat(in, &now) < 0 ||
	    fchmod(out, st->st_mode & MODES) < 0 || futimens(out, times) < 0)
		return fail(v, name, strerror(errno), err);
	if (n != st->st_size || !is_same(st, &now))
		return fail(v, name, "it has changed while it was read", err);
	return 0;
}

static int take_link(struct visit *v, const char *name, const struct stat *st,
		     struct err *err)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(v->in, name, target, sizeof(target) - 1);

	if (n < 0)
		return fail(v, name, strerror(errno), err);
	target[n] = '\0';
	count(v, target, (size_t)n + 1);
	if (v->out < 0)
		return 0;
	if (symlinkat(target, v->out, name) < 0)
		return fail(v, name, strerror(errno), err);
	return list(v, name, st, err);
}

static struct folder *new_folder(const struct visit *v, const char *name,
				 size_t *ret_size)
{
	const struct folder *above = v->folder;
	const char *path = above ? above->path : "";
	size_t size = strlen(path) + strlen(name) + 2;
	struct folder *f = calloc(1, sizeof(*f) + size);

	if (!f)
		return NULL;
	snprintf(f->path, size, "%s%s%s", path, above ? "/" : "", name);
	f->depth = above ? above->depth + 1 : 0;
	f->compiled = v->compiled;
	*ret_size = size;
	return f;
}

static void add_todo(struct tree *t, struct folder *f)
{
	f->next_todo = t->todo;
	t->todo = f;
	if (f->is_file) {
		t->nfiles_todo++;
	} else {
		f->next = t->all;
		t->all = f;
		t->nfolders++;
	}
	pthread_cond_signal(&t->changed);
}

static int add_folder(const struct visit *v, const char *name, struct err *err)
{
	size_t size;
	struct folder *f = new_folder(v, name, &size);

	if (!f)
		return err_memory(err);
	pthread_mutex_lock(&v->tree->lock);
	add_todo(v->tree, f);
	pthread_mutex_unlock(&v->tree->lock);
	if (f->depth > DEPTH_MAX || size > PATH_MAX)
		return fail(v, name, "too many folders in each other", err);
	return 0;
}

/* Many of one folder at a time: each of them takes a shared file system's
 * answers. */
static int add_file(const struct visit *v, const char *name,
		    const struct stat *st, struct err *err)
{
	struct tree *t = v->tree;
	bool waits;
	size_t size;
	struct folder *f = new_folder(v, name, &size);

	if (!f)
		return err_memory(err);
	f->is_file = true;
	f->st = *st;
	pthread_mutex_lock(&t->lock);
	waits = t->nfiles_todo < FILES_WAIT;
	if (waits)
		add_todo(t, f);
	pthread_mutex_unlock(&t->lock);
	if (waits)
		return 0;
	free(f);
	return copy_file(v, name, st, err);
}

static int take_entry(struct visit *v, const char *name, struct err *err)
{
	struct stat st;

	if (fstatat(v->in, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return fail(v, name, strerror(errno), err);
	if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode) &&
	    !S_ISLNK(st.st_mode))
		return 0;
	v->compiled = v->folder &&
		      (v->folder->compiled || !strcmp(name, "__pycache__"));
	count_entry(v, name, &st);
	if (v->tree->to < 0 && v->tree->growing && is_new(v, &st) &&
	    list(v, name, &st, err) < 0)
		return -1;
	if (S_ISDIR(st.st_mode))
		return add_folder(v, name, err);
	v->files++;
	if (S_ISLNK(st.st_mode))
		return take_link(v, name, &st, err);
	v->bytes += (unsigned long long)st.st_size;
	return v->out < 0 ? 0 : add_file(v, name, &st, err);
}

/* --- one folder --- */

static int open_folder(struct visit *v, const struct folder *f, struct err *err)
{
	int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	struct stat st;

	v->in = openat(v->tree->base, f->path, flags);
	if (v->in < 0 || fstat(v->in, &st) < 0)
		return err_printf(err, "%.700s: %s", f->path, strerror(errno));
	if (v->tree->to < 0)
		return 0;
	if (mkdirat(v->tree->to, f->path, OWNERS_ALL) == 0)
		v->out = openat(v->tree->to, f->path, flags);
	if (v->out < 0 || fchmod(v->out, (st.st_mode & MODES) | OWNERS_ALL) < 0)
		return err_printf(err, "a copy of %.700s: %s", f->path,
				  strerror(errno));
	if (v->tree->growing &&
	    growing_list(v->tree->growing, f->path, &st) < 0)
		return fail(v, "", strerror(errno), err);
	return 0;
}

static int no_dots(const struct dirent *e)
{
	return strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int take_entries(struct visit *v, struct err *err)
{
	char self[64];
	struct dirent **entry;
	int n, rc = 0;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", v->in);
	n = scandir(self, &entry, no_dots, by_name);

	if (n < 0)
		return fail(v, "", strerror(errno), err);
	for (int i = 0; i < n; i++) {
		if (rc == 0 && !v->tree->failed)
			rc = take_entry(v, entry[i]->d_name, err);
		free(entry[i]);
	}
	free(entry);
	return rc;
}

static int take_file(struct visit *v, struct folder *f, struct err *err)
{
	int rc;

	v->folder = NULL;
	v->in = v->tree->base;
	v->out = v->tree->to;
	rc = copy_file(v, f->path, &f->st, err);
	free(f);
	return rc;
}

static int take_folder(struct visit *v, struct folder *f, struct err *err)
{
	int rc;

	v->folder = f;
	v->in = v->out = -1;
	begin_sums(v);
	rc = open_folder(v, f, err);
	if (rc == 0)
		rc = take_entries(v, err);
	if (v->in >= 0)
		close(v->in);
	if (v->out >= 0)
		close(v->out);
	crypto_generichash_final(&v->id, f->id, sizeof(f->id));
	crypto_generichash_final(&v->whole, f->whole, sizeof(f->whole));
	return rc;
}

/* --- the threads --- */

static void note(struct visit *v, int rc, const struct err *err)
{
	struct tree *t = v->tree;

	if (rc < 0 && !t->failed) {
		t->failed = true;
		t->err = *err;
	}
	t->bytes += v->bytes;
	t->files += v->files;
	v->bytes = v->files = 0;
}

/* With the lock. NULL: all is done. */
static struct folder *next_folder(struct tree *t)
{
	struct folder *f;

	while (!t->todo && t->nbusy && !t->failed)
		pthread_cond_wait(&t->changed, &t->lock);
	f = t->failed ? NULL : t->todo;
	if (!f)
		return NULL;
	t->todo = f->next_todo;
	t->nfiles_todo -= f->is_file;
	return f;
}

static void *work(void *arg)
{
	struct tree *t = arg;
	cleanup_free char *block = malloc(BLOCK);
	struct visit v = {.tree = t, .block = block};
	struct folder *f;
	struct err err;
	int rc;

	pthread_mutex_lock(&t->lock);
	while (block && (f = next_folder(t))) {
		t->nbusy++;
		pthread_mutex_unlock(&t->lock);
		rc = f->is_file ? take_file(&v, f, &err)
				: take_folder(&v, f, &err);
		pthread_mutex_lock(&t->lock);
		t->nbusy--;
		note(&v, rc, &err);
		if (!t->nbusy || t->failed)
			pthread_cond_broadcast(&t->changed);
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

static int walk_all(struct tree *t, struct err *err)
{
	pthread_t thread[THREADS];
	unsigned n = 0;

	while (n < THREADS && !pthread_create(&thread[n], NULL, work, t))
		n++;
	if (!n)
		work(t);
	while (n)
		pthread_join(thread[--n], NULL);
	if (t->failed) {
		*err = t->err;
		return -1;
	}
	return t->todo ? err_memory(err) : 0;
}

/* --- the whole --- */

static int by_path(const void *a, const void *b)
{
	return strcmp((*(struct folder *const *)a)->path,
		      (*(struct folder *const *)b)->path);
}

/* Folders are done in any order. */
static int add_up(struct tree *t, struct visit *v, struct err *err)
{
	cleanup_free struct folder **all =
		calloc(t->nfolders + 1, sizeof(struct folder *));
	size_t n = 0;

	if (!all)
		return err_memory(err);
	for (struct folder *f = t->all; f; f = f->next)
		all[n++] = f;
	qsort(all, n, sizeof(*all), by_path);
	for (size_t i = 0; i < n; i++) {
		if (all[i]->compiled)
			continue;
		count(v, all[i]->path, strlen(all[i]->path) + 1);
		crypto_generichash_update(&v->id, all[i]->id, 16);
		crypto_generichash_update(&v->whole, all[i]->whole, 16);
	}
	return 0;
}

static void hex(sum_state *state, char ret[TREE_SUM_SIZE])
{
	unsigned char sum[16];

	crypto_generichash_final(state, sum, sizeof(sum));
	sodium_bin2hex(ret, TREE_SUM_SIZE, sum, sizeof(sum));
}

static int walk(struct tree *t, const char *name, struct tree_sum *ret,
		struct err *err)
{
	cleanup_free char *block = malloc(BLOCK);
	struct visit top = {
		.tree = t,
		.in = t->base,
		.out = t->to,
		.block = block,
	};

	if (!block)
		return err_memory(err);
	begin_sums(&top);
	if (take_entry(&top, name, err) < 0 || walk_all(t, err) < 0 ||
	    add_up(t, &top, err) < 0)
		return -1;
	note(&top, 0, NULL);
	ret->bytes = t->bytes;
	ret->files = t->files;
	hex(&top.id, ret->id);
	hex(&top.whole, ret->whole);
	return 0;
}

int tree_walk(int base, const char *name, int to, const struct growing *growing,
	      struct tree_sum *ret, struct err *err)
{
	struct tree t = {
		.base = base,
		.to = to,
		.growing = growing,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.changed = PTHREAD_COND_INITIALIZER,
	};
	int rc = walk(&t, name, ret, err);

	for (struct folder *f = t.todo, *next; f; f = next) {
		next = f->next_todo;
		if (f->is_file)
			free(f);
	}
	while (t.all) {
		struct folder *f = t.all;

		t.all = f->next;
		free(f);
	}
	return rc;
}
