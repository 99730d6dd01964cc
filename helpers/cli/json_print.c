/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/json_print.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* --- values --- */

static void put_text(FILE *f, const char *text, size_t n)
{
	static const char escaped[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";

	fputc('"', f);
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];
		const char *e = strchr(escaped, c);

		if (e)
			fprintf(f, "\\%c", letter[e - escaped]);
		else if (c < ' ')
			fprintf(f, "\\u%04x", c);
		else
			fputc(c, f);
	}
	fputc('"', f);
}

/* As short as it can be and still the same number. */
static void put_number(FILE *f, double n)
{
	bool whole = n == floor(n) && fabs(n) < 1e19;
	char text[32] = "null";

	n += 0.0; /* no -0 */
	if (whole)
		snprintf(text, sizeof(text), "%.0f", n);
	for (int digits = 15; digits <= 17 && !whole && isfinite(n); digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, n);
		if (strtod(text, NULL) == n)
			break;
	}
	fputs(text, f);
}

/* Before a value of that name, of n bytes; 0: of an array. */
static void put_name(struct json *j, const char *name, size_t n)
{
	fputs(j->comma, j->f);
	j->comma = ",";
	if (!n)
		return;
	put_text(j->f, name, n);
	fputc(':', j->f);
}

/* --- members --- */

/* One of json_add()'s, which is read at its place of the format. */
struct member {
	const char *name;
	size_t n;
	bool maybe;
	const char *how; /* behind '%' */
};

static void add_text(struct json *j, const struct member *m, const char *text)
{
	if (m->maybe && (!text || !*text))
		return;
	put_name(j, m->name, m->n);
	if (text)
		put_text(j->f, text, strlen(text));
	else
		fputs("null", j->f);
}

static void add_number(struct json *j, const struct member *m, double number)
{
	bool none = *m->how == 'd'	    ? number < 0
		    : strchr("gf", *m->how) ? isnan(number)
					    : number == 0;

	if (m->maybe && none)
		return;
	put_name(j, m->name, m->n);
	if (*m->how == 'i')
		fputs(number != 0 ? "true" : "false", j->f);
	else
		put_number(j->f,
			   *m->how == 'f' ? round(number * 1e6) / 1e6 : number);
}

static void add(struct json *j, const struct member *m, va_list *ap)
{
	char letter[2] = "";

	switch (*m->how) {
	case 's':
		add_text(j, m, va_arg(*ap, const char *));
		break;
	case 'c':
		*letter = (char)va_arg(*ap, int);
		add_text(j, m, letter);
		break;
	case 'd':
	case 'i':
		add_number(j, m, va_arg(*ap, int));
		break;
	case 'u':
		add_number(j, m, va_arg(*ap, unsigned));
		break;
	case 'l':
	case 'z': /* as large */
		add_number(j, m, (double)va_arg(*ap, unsigned long));
		break;
	default:
		add_number(j, m, va_arg(*ap, double));
		break;
	}
}

/* "}" at `at`, or a value with its name. Returns what is behind it. */
static const char *add_next(struct json *j, const char *at, va_list *ap)
{
	struct member m = {.name = at, .n = strcspn(at, ":%{[")};

	if (*at == '}' || *at == ']') {
		fputc(*at, j->f);
		j->comma = ",";
		return at + 1;
	}
	at += m.n + (at[m.n] == ':');
	m.maybe = m.n && m.name[m.n - 1] == '?';
	m.n -= m.maybe;
	if (*at == '%') {
		m.how = at + 1;
		add(j, &m, ap);
		return at + strcspn(at, " }]");
	}
	put_name(j, m.name, m.n);
	fputc(*at, j->f);
	j->comma = "";
	return at + 1;
}

void json_add(struct json *j, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	while (*format) {
		format = add_next(j, format, &ap);
		format += strspn(format, " ");
	}
	va_end(ap);
}

void json_text(struct json *j, const char *name, const char *text)
{
	add_text(j, &(struct member){name, strlen(name), false, "s"}, text);
}

void json_number(struct json *j, const char *name, double number)
{
	add_number(j, &(struct member){name, strlen(name), false, "g"}, number);
}

/* --- objects and arrays --- */

void json_open(struct json *j, const char *name, char bracket)
{
	put_name(j, name, strlen(name));
	fputc(bracket, j->f);
	j->comma = "";
}

void json_line(struct json *j)
{
	fprintf(j->f, "%s\n", j->comma);
	j->comma = "";
}

struct json json_begin(FILE *f)
{
	struct json j = {.f = f, .comma = ""};

	json_add(&j, "{schema:%d", JSON_SCHEMA);
	return j;
}

void json_end(struct json *j)
{
	fputs("}\n", j->f);
}

void json_list(struct json *j, const char *name, const char *list,
	       char separator)
{
	json_open(j, name, '[');
	while (*list) {
		size_t n = (size_t)(strchrnul(list, separator) - list);

		put_name(j, NULL, 0);
		put_text(j->f, list, n);
		list += n + (list[n] != '\0');
	}
	json_add(j, "]");
}

/* --- which is asked for --- */

bool json_wanted(int argc, char *const argv[])
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (!strcmp(argv[i], "srun") || !strcmp(argv[i], "exec"))
			return false;
		if (!strcmp(argv[i], "--json"))
			return true;
	}
	return false;
}

void json_print_error(FILE *f, const char *text)
{
	struct json j = json_begin(f);

	json_add(&j, "error:%s", text);
	json_end(&j);
}
