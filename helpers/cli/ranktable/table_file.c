/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/ranktable/table_view.h"

#include "core/ascend/ranktable.h"
#include "core/base/parse.h"
#include "helpers/cli/ranktable/json_strict.h"
#include "sys/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

/* The library looks for the first ".json" of the whole path. */
static void check_name(struct report *r)
{
	cleanup_free char *path = realpath(r->file, NULL);
	const char *json = path ? strstr(path, ".json") : NULL;
	char shown[SHOW_SIZE];

	if (path && (!json || json[strlen(".json")]))
		report_path(r, "", CODE_LOAD,
			    "name it NAME.json, in folders without .json",
			    "the path %s doesn't have its first \".json\" at "
			    "the end",
			    show(shown, path));
}

static int not_readable(struct report *r, const char *why)
{
	report_path(r, "", CODE_LOAD, "", "can't be read: %s", why);
	return 0;
}

/* Returns 1 with a text, 0 after a fault, -1 out of memory. */
static int read_text(struct report *r, char **ret, size_t *ret_len)
{
	cleanup_close int fd =
		open(r->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	cleanup_free char *text = NULL;
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0)
		return not_readable(r, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return not_readable(r, "not a regular file");
	if (st.st_size > (off_t)RANKTABLE_TEXT_MAX)
		return not_readable(r, "larger than 40 MiB");
	text = malloc((size_t)st.st_size + 1);
	if (!text)
		return -1;
	n = read_full(fd, text, (size_t)st.st_size);
	if (n < 0)
		return not_readable(r, strerror(errno));
	text[n] = '\0';
	*ret = text;
	*ret_len = (size_t)n;
	text = NULL;
	return 1;
}

int ranktable_file_text(const char *text, size_t len, enum chip chip,
			struct report *r, struct view *ret)
{
	struct json_fault fault;
	struct json_list longest;
	size_t value_end;
	char path[64];

	if (json_strict(text, len, &value_end, &longest, &fault) < 0) {
		snprintf(path, sizeof(path), "line %zu, column %zu", fault.line,
			 fault.column);
		report_path(r, path, CODE_LOAD, "", "%s", fault.what);
		return 0;
	}
	if (document_parse(&ret->doc, text, value_end, &longest) < 0)
		return -1;
	return table_check(ret, chip, r);
}

int ranktable_file(enum chip chip, struct report *r, struct view *ret,
		   struct err *err)
{
	cleanup_free char *text = NULL;
	size_t len = 0;
	int got = read_text(r, &text, &len);

	if (got > 0 && ranktable_file_text(text, len, chip, r, ret) < 0)
		got = -1;
	if (got < 0)
		return err_memory(err);
	if (got && ret->form != FORM_RANKS)
		check_name(r);
	return 0;
}
