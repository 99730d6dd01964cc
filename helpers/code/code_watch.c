/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the program has changed since the step's first round: its own file,
 * and what Python finds beside it. Nothing is read but names and times.
 */
#include "helpers/code/code.h"

#include "core/base/text.h"
#include "sys/folder.h"
#include "sys/text_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FILES_MAX 1000

struct stamping {
	int out;
	unsigned n;
};

/* NAME SIZE TIME INODE */
static void stamp(struct stamping *s, int folder, const char *name)
{
	char line[NAME_MAX + 128];
	struct stat st;
	int n;

	if (s->n == FILES_MAX || fstatat(folder, name, &st, 0) < 0 ||
	    !S_ISREG(st.st_mode) || strchr(name, '\n'))
		return;
	n = snprintf(line, sizeof(line), "%s\t%lld %lld.%09ld %llu\n", name,
		     (long long)st.st_size, (long long)st.st_mtim.tv_sec,
		     st.st_mtim.tv_nsec, (unsigned long long)st.st_ino);
	s->n++;
	if (n > 0 && (size_t)n < sizeof(line))
		write_full(s->out, line, (size_t)n);
}

static void stamp_python(void *arg, int folder, const char *name)
{
	if (text_ends(name, ".py"))
		stamp(arg, folder, name);
}

int code_stamp(const int fd[2], const void *arg)
{
	const struct code_wish *wish = arg;
	struct stamping s = {.out = fd[1]};
	struct code_program program;
	struct err ignored;
	cleanup_close int folder = -1;

	if (code_program_find(wish->argv, &program, &ignored) < 0)
		return EXIT_FAILURE;
	folder = open(program.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		return EXIT_FAILURE;
	if (*program.file && !text_ends(program.file, ".py"))
		stamp(&s, folder, strrchr(program.file, '/') + 1);
	folder_each(folder, stamp_python, &s);
	return EXIT_SUCCESS;
}

const char *code_changed(const char *before, const char *after,
			 char ret[CODE_NAME_SIZE])
{
	*ret = '\0';
	while (*before && !*ret) {
		size_t n = strcspn(before, "\n") + 1;
		const char *at = after;

		while (*at && strncmp(at, before, n) != 0) {
			at += strcspn(at, "\n");
			at += *at == '\n';
		}
		if (!*at)
			snprintf(ret, CODE_NAME_SIZE, "%.*s",
				 (int)strcspn(before, "\t"), before);
		before += n - !before[n - 1];
	}
	return ret;
}
