/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/picture.h"

#include "core/base/text.h"
#include "helpers/cli/json_print.h"
#include "page_html.h"
#include "sys/text_file.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

int picture_write(const char *path, void (*print)(FILE *f, const void *arg),
		  const void *arg, struct err *err)
{
	cleanup_free char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return err_memory(err);
	print(f, arg);
	if (fclose(f) != 0)
		return err_memory(err);
	if (strcmp(path, "-") != 0)
		return write_file(path, text, size, 0644, err);
	if (fwrite(text, 1, size, stdout) != size)
		return err_printf(err, "can't write the output: %s",
				  strerror(errno));
	return 0;
}

/* What would end the element that has the data, begin a comment, or end a line
 * in a script; all of these stand in texts alone. 0: it may stay. */
static unsigned escape_of(const char *text, size_t n)
{
	if (!n)
		return 0xfffd; /* no UTF-8 */
	if (strchr("<>&\x7f", *text))
		return (unsigned char)*text;
	if (!strncmp(text, "\xe2\x80\xa8", 3))
		return 0x2028;
	return strncmp(text, "\xe2\x80\xa9", 3) ? 0 : 0x2029;
}

/* The same values, as an element of HTML can have them. */
static void put_json(FILE *f, const char *json)
{
	for (size_t n; *json; json += n ? n : 1) {
		unsigned escape;

		n = utf8_char(json, SIZE_MAX);
		escape = escape_of(json, n);
		if (escape)
			fprintf(f, "\\u%04x", escape);
		else
			fwrite(json, 1, n, f);
	}
}

static void print_page(FILE *f, const void *json)
{
	fputs(page_begin, f);
	put_json(f, json);
	fputs(page_end, f);
}

int page_check(const char *command, const char *path, bool json,
	       struct err *err)
{
	if (path && json)
		return err_printf(err,
				  "%s: the page of -o shows what --json "
				  "prints; give one of them",
				  command);
	if (!path || !strcmp(path, "-") || text_ends(path, ".html"))
		return 0;
	return err_printf(
		err,
		"%s: what -o writes is a page for a browser: its name "
		"must end in .html, or be - for standard output",
		command);
}

int page_write(const char *path, void (*put)(struct json *j, const void *arg),
	       const void *arg, struct err *err)
{
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);
	cleanup_free char *text = NULL;
	struct json j;

	if (f) {
		j = json_begin(f);
		put(&j, arg);
		json_add(&j, "}");
	}
	text = text_stream_take(&stream);
	return text ? picture_write(path, print_page, text, err)
		    : err_memory(err);
}
