/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/kept/marked_folder.h"

#include "core/base/err.h"
#include "sys/folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define MARK	  ".made"
#define MARK_SIZE 96 /* an inode's number and a node's name */

/* A link's target is written and read at once, and opening nothing can't
 * block. */
static int mark_of(const struct stat *st, char ret[MARK_SIZE])
{
	struct utsname node;

	if (uname(&node) < 0)
		return -1;
	snprintf(ret, MARK_SIZE, "%llu@%s", (unsigned long long)st->st_ino,
		 node.nodename);
	return 0;
}

int marked_folder_mark(int fd)
{
	char mark[MARK_SIZE];
	struct stat st;

	if (fstat(fd, &st) < 0 || mark_of(&st, mark) < 0)
		return -1;
	return symlinkat(mark, fd, MARK);
}

static bool is_marked(int fd, const struct stat *st)
{
	char mark[MARK_SIZE], found[MARK_SIZE];
	struct stat link;
	ssize_t n;

	if (mark_of(st, mark) < 0 ||
	    fstatat(fd, MARK, &link, AT_SYMLINK_NOFOLLOW) < 0 ||
	    link.st_uid != st->st_uid)
		return false;
	n = readlinkat(fd, MARK, found, sizeof(found));
	return n == (ssize_t)strlen(mark) && !memcmp(found, mark, (size_t)n);
}

static bool was_made_in(int base, int fd)
{
	struct stat above, st;

	return fstat(base, &above) == 0 && fstat(fd, &st) == 0 &&
	       st.st_dev == above.st_dev && is_marked(fd, &st);
}

bool marked_folder_remove(int base, const char *name, uid_t owner)
{
	cleanup_close int fd = folder_open_own(base, name, owner);

	if (fd < 0 || !folder_is_private(fd) || !was_made_in(base, fd))
		return true;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return false;
	folder_empty(fd);
	unlinkat(base, name, AT_REMOVEDIR);
	return true;
}
