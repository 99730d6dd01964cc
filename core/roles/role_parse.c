/* SPDX-License-Identifier: Apache-2.0 */
/* Twice over the text: first the names, since a line may name a later one. */
#include "core/roles/role_file.h"

#include "core/base/array.h"
#include "core/base/parse.h"
#include "core/base/text.h"
#include "core/roles/role_read.h"
#include "core/roles/role_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORM		"write ROLE FRAMEWORK KEY=VALUE... -- PROGRAM [ARG]..."
#define BYTE_ORDER_MARK "\xef\xbb\xbf"
#define READY_TIMEOUT_S 600

/* Addresses aren't known where keys are read: names are the submitter's. */
static int own_value(void *arg, const char *name, char **ret, struct err *err)
{
	const struct role_reader *s = arg;
	const char *value = s->lookup(s->arg, name);

	*ret = value ? strdup(value) : NULL;
	return value && !*ret ? err_memory(err) : 0;
}

/* --- names --- */

static struct role_cursor begin_of(const struct role_file *file)
{
	size_t mark = strlen(BYTE_ORDER_MARK);
	bool marked = !strncmp(file->text, BYTE_ORDER_MARK, mark);

	return (struct role_cursor){
		.at = file->text + (marked ? mark : 0),
		.place = {.line = 1, .column = 1},
	};
}

static int add_role(struct role_file *file, const struct role_word *word,
		    struct err *err)
{
	struct role_line *line;
	char name[ROLE_NAME_SIZE];

	if (file->n == ROLES_MAX)
		return role_fault(file, word->at, err,
				  "this is the role after the %dth; a file has "
				  "%d at most",
				  ROLES_MAX, ROLES_MAX);
	if (role_name_read(file, word, name, err) < 0)
		return -1;
	line = array_append(&file->role, file->n, sizeof(*line));
	if (!line)
		return err_memory(err);
	file->n++;
	*line = (struct role_line){
		.at = word->at,
		.with = ROLE_NONE,
		.devices = -1,
		.ports = 1,
		.ready_timeout_s = READY_TIMEOUT_S,
		.together = ROLE_NONE,
	};
	strcpy(line->name, name);
	return 0;
}

/* Returns 1; 0: there is no other line; or -1. */
static int first_word(const struct role_file *file, struct role_cursor *c,
		      struct role_word *ret, struct err *err)
{
	int rc = 0;

	while (rc == 0 && *c->at)
		rc = role_text_word(file, c, ret, err);
	return rc;
}

static int skip_line(const struct role_file *file, struct role_cursor *c,
		     struct err *err)
{
	struct role_word word;
	int rc;

	do
		rc = role_text_word(file, c, &word, err);
	while (rc > 0);
	return rc;
}

static int read_names(struct role_file *file, struct err *err)
{
	struct role_cursor c = begin_of(file);
	struct role_word word;
	int rc;

	while ((rc = first_word(file, &c, &word, err)) > 0)
		if (add_role(file, &word, err) < 0 ||
		    skip_line(file, &c, err) < 0)
			return -1;
	if (rc == 0 && !file->n)
		return err_printf(err, "%.200s: there is no role in it; " FORM,
				  file->name);
	return rc;
}

/* --- lines --- */

static int add_pair(struct role_line *line, const char *text,
		    struct role_place at, struct err *err)
{
	struct role_pair *pair =
		array_append(&line->pair, line->npairs, sizeof(*pair));

	if (!pair)
		return err_memory(err);
	line->npairs++;
	pair->at = at;
	pair->text = strdup(text);
	return pair->text ? 0 : err_memory(err);
}

/* A word between the framework and "--". */
static int read_pair(const struct role_file *file, struct role_line *line,
		     const struct role_word *word,
		     const struct role_expansion *how, struct err *err)
{
	struct argset set = {0};
	char shown[SHOW_SIZE];
	const char *text;
	int rc = role_word_expand(how, word, &set, err);

	text = rc == 0 && set.n ? set.arg[0] : "";
	if (rc == 0 && !strchr(text, '='))
		rc = role_fault(file, word->at, err,
				"%s is no KEY=VALUE; the command stands behind "
				"--",
				show(shown, text));
	if (rc == 0)
		rc = role_key_read(file, line, text, word->at, err);
	if (rc == 0)
		rc = add_pair(line, text, word->at, err);
	argset_clear(&set);
	return rc < 0 ? -1 : 0;
}

static int add_word(struct role_line *line, const struct role_word *word,
		    struct err *err)
{
	struct role_word *more =
		array_append(&line->word, line->nwords, sizeof(*more));

	if (!more)
		return err_memory(err);
	*more = *word;
	line->nwords++;
	return 0;
}

static int read_framework(const struct role_file *file, struct role_cursor *c,
			  struct role_line *line, struct err *err)
{
	struct role_word word = {.at = line->at};
	char shown[SHOW_SIZE];
	int rc = role_text_word(file, c, &word, err);

	if (rc < 0)
		return -1;
	if (rc == 0 || role_word_is(&word, "--"))
		return role_fault(file, word.at, err,
				  "role '%s' has no framework; " FORM,
				  line->name);
	line->framework_at = word.at;
	line->framework = strndup(word.text, word.len);
	if (!line->framework)
		return err_memory(err);
	if (is_word(line->framework, "-_", 64))
		return 0;
	return role_fault(file, word.at, err,
			  "%s is no framework's name; " FORM,
			  show(shown, line->framework));
}

/* What --dist-train= would have. */
static int make_option(struct role_line *line, struct err *err)
{
	struct text_stream s;
	FILE *f = text_stream_open(&s);

	if (f)
		fputs(line->framework, f);
	for (size_t i = 0; f && i < line->npairs; i++)
		fprintf(f, ",%s", line->pair[i].text);
	line->option = text_stream_end(&s, 0, err);
	return line->option ? 0 : -1;
}

static int read_line(const struct role_file *file, struct role_cursor *c,
		     struct role_line *line, const struct role_expansion *how,
		     struct err *err)
{
	bool command = false;
	struct role_word word;
	int rc;

	if (read_framework(file, c, line, err) < 0)
		return -1;
	while ((rc = role_text_word(file, c, &word, err)) > 0) {
		if (command)
			rc = add_word(line, &word, err);
		else if (role_word_is(&word, "--"))
			command = true;
		else
			rc = read_pair(file, line, &word, how, err);
		if (rc < 0)
			return -1;
	}
	if (rc == 0 && !line->nwords)
		return role_fault(file, line->at, err,
				  "role '%s' has no command; " FORM,
				  line->name);
	return rc == 0 ? make_option(line, err) : -1;
}

static int read_lines(struct role_file *file, const struct role_reader *reader,
		      struct err *err)
{
	struct role_cursor c = begin_of(file);
	const struct role_expansion how = {
		.file = file,
		.value = own_value,
		.arg = (void *)reader,
		.known = "your exported variables (those of roles are for "
			 "commands: addresses aren't known before)",
		.whole = true,
	};
	struct role_word word;

	for (unsigned i = 0; i < file->n; i++) {
		struct role_line *line = &file->role[i];

		if (first_word(file, &c, &word, err) < 0 ||
		    read_line(file, &c, line, &how, err) < 0 ||
		    (reader->framework &&
		     reader->framework(file, line, reader->config, err) < 0))
			return -1;
	}
	return 0;
}

static int read_file(struct role_file *file, const struct role_reader *reader,
		     struct err *err)
{
	if (read_names(file, err) < 0 || read_lines(file, reader, err) < 0 ||
	    role_file_check(file, err) < 0)
		return -1;
	for (unsigned i = 0; i < file->n; i++)
		if (role_command_check(file, &file->role[i], reader->lookup,
				       reader->arg, err) < 0)
			return -1;
	return 0;
}

int role_file_parse(const char *text, const char *name,
		    const struct role_reader *reader, struct role_file *ret,
		    struct err *err)
{
	struct role_file file = {0};

	if (strlen(text) > ROLE_FILE_MAX)
		return err_printf(
			err,
			"%.200s: a file of roles has at most %d bytes, "
			"and this one has %zu; long commands belong "
			"into scripts",
			name, ROLE_FILE_MAX, strlen(text));
	file.name = strdup(name);
	file.text = strdup(text);
	if (!file.name || !file.text) {
		role_file_clear(&file);
		return err_memory(err);
	}
	if (read_file(&file, reader, err) < 0) {
		role_file_clear(&file);
		return -1;
	}
	*ret = file;
	return 0;
}
