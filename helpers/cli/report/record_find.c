/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/report/record_reader.h"

#include "core/base/array.h"
#include "sys/folder.h"
#include "sys/kept/state_folder.h"
#include "sys/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_MAX  (16U << 20)
#define HEAD_MAX  16384 /* of a record's first line */
#define NAME_SIZE 192
#define READ_ONLY (O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)

static bool read_number(const char **text, unsigned long *ret)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	*ret = strtoul(*text, &end, 10);
	*text = end;
	return errno == 0;
}

/* The processes of "12+1" have the job's number. */
struct record_wish record_wish_of(const struct step_name *name)
{
	const char *job = name->job;
	struct record_wish ret = {
		.has_job = true,
		.has_step = name->step >= 0,
		.step = (unsigned long)name->step,
	};

	read_number(&job, &ret.job);
	ret.has_task = *job == '_';
	if (ret.has_task && (job++, !read_number(&job, &ret.task)))
		ret.task = ULONG_MAX; /* of no array */
	return ret;
}

/* --- one file of the folder --- */

/* ,"NAME":NUMBER of the record's first line */
static bool head_number(const char *head, const char *name, unsigned long *ret)
{
	char key[64];
	const char *at;

	snprintf(key, sizeof(key), ",\"%s\":", name);
	at = strstr(head, key);
	if (!at)
		return false;
	at += strlen(key);
	return read_number(&at, ret);
}

/* The job's number is in the file's name, that of the array in the file. */
static bool is_element(int folder, const char *name,
		       const struct record_wish *w)
{
	cleanup_close int fd = openat(folder, name, READ_ONLY);
	char head[HEAD_MAX];
	unsigned long job, task;
	ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof(head) - 1);

	if (n <= 0)
		return false;
	head[n] = '\0';
	head[strcspn(head, "\n")] = '\0';
	return head_number(head, "array_job", &job) &&
	       head_number(head, "array_task", &task) && job == w->job &&
	       (!w->has_task || task == w->task);
}

static bool is_wanted(const struct record_wish *w, int folder, const char *name,
		      const struct record_file *file)
{
	if (!w->has_job)
		return true;
	if (w->has_step && file->step != w->step)
		return false;
	if (!w->has_task && file->job == w->job)
		return true;
	return is_element(folder, name, w);
}

static bool read_name(const char *name, struct record_file *ret)
{
	unsigned long number[3];
	const char *at = name;

	for (int i = 0; i < 3; i++) {
		if ((i && *at++ != '.') || !read_number(&at, &number[i]))
			return false;
	}
	*ret = (struct record_file){
		.job = number[0],
		.step = number[1],
		.requeue = number[2],
		.of = at,
	};
	return *at == '.' && text_ends(at, RECORD_SUFFIX) &&
	       strlen(name) < NAME_SIZE;
}

/* --- the folder --- */

struct search {
	const struct record_wish *wish;
	struct record_files *files;
	bool failed; /* out of memory */
};

static void visit(void *arg, int folder, const char *name)
{
	struct search *s = arg;
	struct record_file file, *to;
	struct stat st;

	if (!read_name(name, &file) ||
	    fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !S_ISREG(st.st_mode) || !is_wanted(s->wish, folder, name, &file))
		return;
	to = array_append(&s->files->file, s->files->n, sizeof(*to));
	file.name = to ? strdup(name) : NULL;
	if (!file.name) {
		s->failed = true;
		return;
	}
	file.of = file.name + (file.of - name);
	file.changed = st.st_mtim;
	*to = file;
	s->files->n++;
}

int record_folder_open(const char *path, struct record_folder *ret,
		       struct err *err)
{
	ret->fd = -1;
	ret->path = path ? strdup(path) : state_folder_path();
	if (!ret->path)
		return err_printf(err, "no folder for records: HOME isn't set; "
				       "--record DIR names one");
	ret->fd = open(ret->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (ret->fd < 0 && errno != ENOENT)
		return err_printf(err, "%.500s: %s", ret->path,
				  strerror(errno));
	return 0;
}

void record_folder_close(struct record_folder *folder)
{
	if (folder->fd >= 0)
		close(folder->fd);
	free(folder->path);
	*folder = (struct record_folder){.fd = -1};
}

int record_folder_list(const struct record_folder *folder,
		       const struct record_wish *wish, struct record_files *ret,
		       struct err *err)
{
	struct search search = {.wish = wish, .files = ret};

	*ret = (struct record_files){.n = 0};
	if (folder->fd >= 0)
		folder_each(folder->fd, visit, &search);
	if (!search.failed)
		return 0;
	record_files_clear(ret);
	return err_memory(err);
}

void record_files_clear(struct record_files *files)
{
	for (size_t i = 0; i < files->n; i++)
		free(files->file[i].name);
	free(files->file);
	*files = (struct record_files){.n = 0};
}

char *record_folder_read(const struct record_folder *folder, const char *name,
			 char **ret_path, struct err *err)
{
	cleanup_close int fd = -1;

	*ret_path = NULL;
	if (asprintf(ret_path, "%s/%s", folder->path, name) < 0) {
		*ret_path = NULL;
		return err_memory_null(err);
	}
	fd = openat(folder->fd, name, READ_ONLY);
	if (fd < 0) {
		err_printf(err, "%.500s: %s", *ret_path, strerror(errno));
		return NULL;
	}
	return text_file_read_fd(fd, *ret_path, TEXT_MAX, err);
}

/* --- the newest one --- */

const struct record_file *record_file_newest(const struct record_file *file,
					     size_t n)
{
	const struct record_file *newest = file;

	for (size_t i = 1; i < n; i++) {
		const struct timespec *a = &file[i].changed;
		const struct timespec *b = &newest->changed;

		if (a->tv_sec > b->tv_sec ||
		    (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec))
			newest = &file[i];
	}
	return newest;
}

int record_newest(const char *path, const struct record_wish *wish,
		  char **ret_path, char **ret_text, struct err *err)
{
	struct record_folder folder;
	struct record_files files = {.n = 0};
	int rc = record_folder_open(path, &folder, err);

	*ret_path = *ret_text = NULL;
	if (rc == 0)
		rc = record_folder_list(&folder, wish, &files, err);
	if (files.n) {
		*ret_text = record_folder_read(
			&folder, record_file_newest(files.file, files.n)->name,
			ret_path, err);
		rc = *ret_text ? 0 : -1;
	} else if (rc == 0) {
		rc = 1;
	}
	if (!*ret_path) {
		*ret_path = folder.path;
		folder.path = NULL;
	}
	record_files_clear(&files);
	record_folder_close(&folder);
	return rc;
}

/* --- whose it is --- */

static int become(const char *name, struct err *err)
{
	const struct passwd *user = getpwnam(name);
	struct found_step whose = {.job_id = 0};

	if (!user)
		return err_printf(err, "--user %.100s: no such user", name);
	whose.uid = user->pw_uid;
	whose.gid = user->pw_gid;
	return found_step_become_user(&whose, err);
}

int record_become_owner(const char *user, const char *job, struct err *err)
{
	struct found_step step;
	struct err why;
	int rc;

	if (geteuid() != 0)
		return 0;
	unsetenv("XDG_STATE_HOME");
	if (user)
		return become(user, err);
	if (!*job || step_find(job, &step, &why) < 0)
		return err_printf(err, "root reads a record as the job's user, "
				       "whom Slurm doesn't tell any more; "
				       "--user NAME says who it is");
	rc = found_step_become_user(&step, err);
	found_step_clear(&step);
	return rc;
}
