/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/why/why_find.h"

#include "core/base/cleanup.h"
#include "helpers/record/record_folder.h"
#include "sys/folder.h"
#include "sys/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_MAX  (16U << 20)
#define HEAD_MAX  16384 /* of a record's first line */
#define NAME_SIZE 128

/* {0}: the newest one of all */
struct wanted {
	unsigned long job, task, step;
	bool has_job, has_task, has_step;
};

struct finding {
	struct wanted wanted;
	unsigned long job;    /* another number of the same job, or 0 */
	char name[NAME_SIZE]; /* the best so far; "": none */
	struct timespec at;
};

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

/* "12", "12_3" or "12+1"; the latter's processes have the job's number */
static struct wanted wanted_of(const struct step_name *name)
{
	const char *job = name->job;
	struct wanted ret = {
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
static bool is_element(int folder, const char *name, const struct wanted *w)
{
	cleanup_close int fd = openat(folder, name,
				      O_RDONLY | O_CLOEXEC | O_NOFOLLOW |
					      O_NONBLOCK | O_NOCTTY);
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

static bool is_wanted(const struct finding *f, int folder, const char *name,
		      unsigned long job, unsigned long step)
{
	const struct wanted *w = &f->wanted;

	if (!w->has_job)
		return true;
	if (w->has_step && step != w->step)
		return false;
	if ((!w->has_task && job == w->job) || (f->job && job == f->job))
		return true;
	return is_element(folder, name, w);
}

static bool is_newer(const struct finding *f, const struct stat *st)
{
	if (st->st_mtim.tv_sec != f->at.tv_sec)
		return st->st_mtim.tv_sec > f->at.tv_sec;
	return st->st_mtim.tv_nsec > f->at.tv_nsec;
}

static void visit(void *arg, int folder, const char *name)
{
	struct finding *f = arg;
	unsigned long number[3];
	const char *at = name;
	struct stat st;

	for (int i = 0; i < 3; i++) {
		if ((i && *at++ != '.') || !read_number(&at, &number[i]))
			return;
	}
	if (strcmp(at, RECORD_SUFFIX) != 0 || strlen(name) >= NAME_SIZE ||
	    fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !S_ISREG(st.st_mode) || (*f->name && !is_newer(f, &st)) ||
	    !is_wanted(f, folder, name, number[0], number[1]))
		return;
	strcpy(f->name, name);
	f->at = st.st_mtim;
}

/* --- the folder --- */

static char *read_found(int folder, const char *name, const char *path,
			struct err *err)
{
	cleanup_close int fd = openat(folder, name,
				      O_RDONLY | O_CLOEXEC | O_NOFOLLOW |
					      O_NONBLOCK | O_NOCTTY);

	if (fd < 0) {
		err_printf(err, "%.500s: %s", path, strerror(errno));
		return NULL;
	}
	return text_file_read_fd(fd, path, TEXT_MAX, err);
}

static char *find_folder(const struct why_wish *wish)
{
	return wish->folder ? strdup(wish->folder) : record_state_folder();
}

int why_find(const struct why_wish *wish, char **ret_path, char **ret_text,
	     struct err *err)
{
	struct finding f = {.job = wish->job};
	cleanup_close int fd = -1;
	char *folder = find_folder(wish);

	*ret_path = folder;
	*ret_text = NULL;
	if (!folder)
		return err_printf(err, "no folder for records: HOME isn't set; "
				       "--record DIR names one");
	if (wish->step)
		f.wanted = wanted_of(wish->step);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 && errno != ENOENT)
		return err_printf(err, "%.500s: %s", folder, strerror(errno));
	if (fd >= 0)
		folder_each(fd, visit, &f);
	if (!*f.name)
		return 1;
	if (asprintf(ret_path, "%s/%s", folder, f.name) < 0) {
		*ret_path = folder;
		return err_memory(err);
	}
	free(folder);
	*ret_text = read_found(fd, f.name, *ret_path, err);
	return *ret_text ? 0 : -1;
}
