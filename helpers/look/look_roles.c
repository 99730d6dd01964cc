/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/look/look_state.h"

#include "core/base/err.h"
#include "core/base/text.h"
#include "core/facts/handover.h"
#include "sys/text_file.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>

#define ROW "role\t"

void roles_tell(FILE *f, const char *folder)
{
	char path[PATH_MAX + sizeof(ROLES_ROWS) + 1], *rest = NULL;
	cleanup_free char *text = NULL;
	cleanup_close int fd = -1;
	struct err none; /* the step has no roles, or not yet */

	snprintf(path, sizeof(path), "%s/" ROLES_ROWS, folder);
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0)
		text = text_file_read_fd(fd, path, SIGHT_MAX, &none);
	for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest))
		if (!strncmp(line, ROW, strlen(ROW)))
			fprintf(f, "%s\n", line);
}

bool roles_answer(struct sight *sight)
{
	const struct launch_view *v = sight_view(sight);
	cleanup_free char *rows = NULL;
	struct text_stream stream;
	FILE *f;

	if (!has_roles(v))
		return false;
	f = v->job->procid ? NULL : text_stream_open(&stream);
	if (f) {
		roles_tell(f, v->run_dir->path);
		rows = text_stream_take(&stream);
	}
	sight_tell(sight, rows ? rows : "");
	return true;
}
