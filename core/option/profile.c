/* SPDX-License-Identifier: Apache-2.0 */
#include "core/option/profile.h"

#include "core/base/parse.h"

#include <stdlib.h>
#include <string.h>

/* Names that a profile can't set. */
static bool is_reserved(const char *name)
{
	return !strncmp(name, "SLURM", 5) || !strncmp(name, "DIST_TRAIN", 10) ||
	       !strncmp(name, "LD_PRELOAD", 10);
}

/* Split NAME=value or NAME+=dir. Returns NULL, or why the line is neither. */
static const char *split(char *line, char **ret_value, bool *ret_folder)
{
	char *eq = strchr(line, '=');

	if (!eq || eq == line)
		return "must be NAME=value or NAME+=dir";
	*ret_folder = eq[-1] == '+';
	eq[*ret_folder ? -1 : 0] = '\0';
	*ret_value = eq + 1;
	if (!is_word(line, "_", 255) || (*line >= '0' && *line <= '9'))
		return "not the name of a variable";
	if (is_reserved(line))
		return "a profile can't set this variable";
	if (strchr(*ret_value, '$') || strchr(*ret_value, '"') ||
	    strchr(*ret_value, '\''))
		return "values are used as written: $NAME and quotes aren't "
		       "possible";
	if (*ret_folder && **ret_value != '/')
		return "NAME+= takes exactly one absolute path";
	return NULL;
}

static int add_line(struct profile *profile, const char *name,
		    const char *value, bool folder, struct err *err)
{
	struct profile_line *more = realloc(
		profile->line, (profile->n + 1) * sizeof(*profile->line));
	struct profile_line l = {strdup(name), strdup(value), folder};

	if (more)
		profile->line = more;
	if (!more || !l.name || !l.value) {
		free(l.name);
		free(l.value);
		return err_memory(err);
	}
	profile->line[profile->n++] = l;
	return 0;
}

static bool prints(const char *line)
{
	for (; *line; line++)
		if ((unsigned char)*line < 0x20 || *line == 0x7f)
			return false;
	return true;
}

static int parse_line(const char *file, unsigned number, char *line,
		      struct profile *profile, struct err *err)
{
	const char *why = "contains a byte that isn't printable";
	char *value = NULL, shown[SHOW_SIZE];
	size_t len = strlen(line);
	bool folder = false;

	while (len && (line[len - 1] == ' ' || line[len - 1] == '\t'))
		line[--len] = '\0';
	line += strspn(line, " \t");
	if (!*line || *line == '#')
		return 0;
	show(shown, line);
	if (prints(line))
		why = split(line, &value, &folder);
	if (why)
		return err_printf(err, "%s:%u: %s: %s", file, number, shown,
				  why);
	return add_line(profile, line, value, folder, err);
}

int profile_parse(const char *file, const char *text, struct profile *profile,
		  struct err *err)
{
	cleanup_free char *copy = strdup(text);
	unsigned number = 1;

	if (!copy)
		return err_memory(err);
	for (char *line = copy; line; number++) {
		char *end = strchr(line, '\n');

		if (end)
			*end++ = '\0';
		if (parse_line(file, number, line, profile, err) < 0)
			return -1;
		line = end;
	}
	return 0;
}

char *profile_trim(char *text)
{
	char *to = text;

	for (const char *from = text; *from;) {
		size_t n = strcspn(from, "\n");
		char first = from[strspn(from, " \t")];

		n += from[n] == '\n';
		if (first && first != '\n' && first != '#') {
			memmove(to, from, n);
			to += n;
		}
		from += n;
	}
	*to = '\0';
	return text;
}

int profile_copy(const struct profile *profile, struct profile *ret,
		 struct err *err)
{
	struct profile copy = {0};

	for (size_t i = 0; i < profile->n; i++) {
		const struct profile_line *l = &profile->line[i];

		if (add_line(&copy, l->name, l->value, l->folder, err) == 0)
			continue;
		profile_clear(&copy);
		return -1;
	}
	*ret = copy;
	return 0;
}

void profile_clear(struct profile *profile)
{
	for (size_t i = 0; i < profile->n; i++) {
		free(profile->line[i].name);
		free(profile->line[i].value);
	}
	free(profile->line);
	*profile = (struct profile){0};
}
