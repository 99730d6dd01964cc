/* SPDX-License-Identifier: Apache-2.0 */
#include "core/roles/role_text.h"

#include "core/base/parse.h"
#include "core/base/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_SIZE 128 /* of a variable, with its NUL */

int role_fault(const struct role_file *file, struct role_place at,
	       struct err *err, const char *fmt, ...)
{
	struct err why;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why.text, sizeof(why.text), fmt, ap);
	va_end(ap);
	return err_printf(err, "%.200s:%u:%u: %.800s", file->name, at.line,
			  at.column, why.text);
}

/* --- where words end --- */

/* Columns are characters, and a character begins with a byte that continues
 * none. */
static void step(struct role_cursor *c)
{
	bool newline = *c->at++ == '\n';

	if (newline) {
		c->place.line++;
		c->place.column = 1;
	} else if (((unsigned char)*c->at & 0xc0) != 0x80) {
		c->place.column++;
	}
}

/* How many bytes make two lines one here: "\", maybe a carriage return, and the
 * newline. 0: nothing does. */
static size_t joint(const char *at)
{
	if (*at != '\\')
		return 0;
	if (at[1] == '\n')
		return 2;
	return at[1] == '\r' && at[2] == '\n' ? 3 : 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Past what stands between two words of a line. */
static void skip_blanks(struct role_cursor *c)
{
	for (;;) {
		size_t n = joint(c->at);

		if (!n && !is_blank(*c->at))
			break;
		do
			step(c);
		while (n && --n);
	}
	if (*c->at == '#')
		while (*c->at && *c->at != '\n')
			step(c);
}

static void step_over(struct role_cursor *c, size_t n)
{
	while (n--)
		step(c);
}

/* Past a part in quotes. */
static int skip_quotes(const struct role_file *file, struct role_cursor *c,
		       struct err *err)
{
	struct role_place begin = c->place;
	char quote = *c->at;

	step(c);
	while (*c->at != quote) {
		size_t n = quote == '"' ? joint(c->at) : 0;

		if (!n && (!*c->at || *c->at == '\n'))
			return role_fault(file, begin, err,
					  "the %c has no second one on its "
					  "line; a text of several lines "
					  "belongs into a script",
					  quote);
		if (!n && quote == '"' && *c->at == '\\' && c->at[1])
			step(c);
		step_over(c, n ? n : 1);
	}
	step(c);
	return 0;
}

int role_text_word(const struct role_file *file, struct role_cursor *c,
		   struct role_word *ret, struct err *err)
{
	struct role_word word;

	skip_blanks(c);
	word = (struct role_word){.text = c->at, .at = c->place};
	while (*c->at && *c->at != '\n' && !is_blank(*c->at)) {
		size_t n = joint(c->at);

		if (*c->at == '\'' || *c->at == '"') {
			if (skip_quotes(file, c, err) < 0)
				return -1;
			continue;
		}
		if (!n && *c->at == '\\' && c->at[1])
			step(c);
		step_over(c, n ? n : 1);
	}
	word.len = (size_t)(c->at - word.text);
	if (word.len)
		*ret = word;
	else if (*c->at)
		step(c);
	return word.len > 0;
}

bool role_word_is(const struct role_word *word, const char *text)
{
	return word->len == strlen(text) &&
	       !memcmp(word->text, text, word->len);
}

/* --- what they come to --- */

/* One word of the file on its way to several of a command. */
struct expanding {
	const struct role_expansion *how;
	struct role_cursor cur;
	const char *end;
	struct text_stream word; /* the one that grows; f NULL: there is none */
	struct argset *out;
};

/* An empty text makes a word, too. */
static int put(struct expanding *x, const char *text, size_t n, struct err *err)
{
	if (!x->word.f && !text_stream_open(&x->word))
		return err_memory(err);
	fwrite(text, 1, n, x->word.f);
	return 0;
}

static int finish(struct expanding *x, struct err *err)
{
	cleanup_free char *text = NULL;

	if (!x->word.f)
		return 0;
	text = text_stream_take(&x->word);
	x->word.f = NULL;
	return text ? argset_add(x->out, err, "%s", text) : err_memory(err);
}

/* A value outside of quotes. */
static int put_split(struct expanding *x, const char *text, struct err *err)
{
	for (;;) {
		size_t n = strcspn(text, " \t\n");

		if (n && put(x, text, n, err) < 0)
			return -1;
		text += n;
		if (!*text)
			return 0;
		if (finish(x, err) < 0)
			return -1;
		text += strspn(text, " \t\n");
	}
}

/* The name behind a '$', and the cursor behind it. Returns its length; 0: there
 * is none. */
static size_t take_name(struct expanding *x, char name[NAME_SIZE])
{
	const char *at = x->cur.at + 1;
	bool braces = *at == '{';
	size_t n = 0;

	at += braces;
	while (at + n < x->end &&
	       (isalnum((unsigned char)at[n]) || at[n] == '_'))
		n++;
	if (!n || is_digit(*at) || n >= NAME_SIZE || (braces && at[n] != '}'))
		return 0;
	memcpy(name, at, n);
	name[n] = '\0';
	step_over(&x->cur, 1 + n + 2U * braces);
	return n;
}

static int put_value(struct expanding *x, bool quoted, struct err *err)
{
	struct role_place at = x->cur.place;
	cleanup_free char *value = NULL;
	char name[NAME_SIZE];

	if (!take_name(x, name))
		return role_fault(
			x->how->file, at, err,
			"behind $ stands a name, $NAME or ${NAME}: no "
			"shell reads this file; write \\$ for the "
			"character, or bash -c '...' for a command of "
			"a shell");
	if (x->how->value(x->how->arg, name, &value, err) < 0)
		return -1;
	if (!value)
		return role_fault(x->how->file, at, err,
				  "nothing is known of $%s; there are %s", name,
				  x->how->known);
	return quoted || x->how->whole ? put(x, value, strlen(value), err)
				       : put_split(x, value, err);
}

/* A '\' and what stands behind it: in "" it is special before some only. */
static int put_escaped(struct expanding *x, bool quoted, struct err *err)
{
	size_t n = joint(x->cur.at);
	bool stays =
		!x->cur.at[1] || (quoted && !strchr("\"\\$", x->cur.at[1]));

	if (n) {
		step_over(&x->cur, n);
		return 0;
	}
	if (!stays)
		step(&x->cur);
	if (put(x, x->cur.at, 1, err) < 0)
		return -1;
	step(&x->cur);
	return 0;
}

static int put_literal(struct expanding *x, struct err *err)
{
	const char *begin;

	step(&x->cur);
	begin = x->cur.at;
	while (*x->cur.at != '\'')
		step(&x->cur);
	if (put(x, begin, (size_t)(x->cur.at - begin), err) < 0)
		return -1;
	step(&x->cur);
	return 0;
}

static int put_next(struct expanding *x, bool *quoted, struct err *err)
{
	char c = *x->cur.at;

	if (c == '\'' && !*quoted)
		return put_literal(x, err);
	if (c == '$')
		return put_value(x, *quoted, err);
	if (c == '\\')
		return put_escaped(x, *quoted, err);
	if (c == '"')
		*quoted = !*quoted;
	if (put(x, &c, c != '"', err) < 0)
		return -1;
	step(&x->cur);
	return 0;
}

int role_word_expand(const struct role_expansion *how,
		     const struct role_word *word, struct argset *ret,
		     struct err *err)
{
	struct expanding x = {
		.how = how,
		.cur = {.at = word->text, .place = word->at},
		.end = word->text + word->len,
		.out = ret,
	};
	bool quoted = false;
	int rc = 0;

	while (rc == 0 && x.cur.at < x.end)
		rc = put_next(&x, &quoted, err);
	if (rc == 0)
		rc = finish(&x, err);
	if (x.word.f)
		free(text_stream_take(&x.word));
	return rc;
}
