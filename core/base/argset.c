/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/argset.h"

#include "core/base/array.h"
#include "core/base/envset.h"

#include <stdarg.h>
#include <stdio.h>

int argset_add(struct argset *set, struct err *err, const char *fmt, ...)
{
	char *text;
	va_list ap;
	int n;

	if (!array_append(&set->arg, set->n, sizeof(text)))
		return err_memory(err);
	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return err_memory(err);
	set->arg[set->n++] = text;
	if ((size_t)n < ENV_STRING_MAX)
		return 0;
	return err_printf(err,
			  "an argument would have %d bytes (%.32s...), but the "
			  "kernel allows %d; use fewer nodes or shorter names",
			  n, text, ENV_STRING_MAX - 1);
}

/* What stands behind the option's name in this word: "" or "=VALUE"; NULL: it
 * is another word. */
static const char *behind_name(const char *word, const char *name)
{
	for (; *name; word++, name++)
		if (*word != *name && !(*word == '_' && *name == '-'))
			return NULL;
	return !*word || *word == '=' ? word : NULL;
}

const char *argv_option(char *const argv[], const char *name,
			const char *letters)
{
	const char *found = NULL, *behind;

	for (; argv && *argv; argv++) {
		const char *word = *argv;

		if (!strncmp(word, "--", 2))
			behind = behind_name(word + 2, name);
		else if (letters && *word == '-')
			behind = behind_name(word + 1, letters);
		else
			continue;
		if (behind && *behind)
			found = behind + 1;
		else if (behind)
			found = argv[1] ? argv[1] : "";
	}
	return found;
}

char **argset_behind(const struct argset *set, char *const argv[])
{
	size_t n = 0;
	char **all;

	while (argv[n])
		n++;
	all = calloc(n + set->n + 1, sizeof(*all));
	if (!all)
		return NULL;
	memcpy(all, argv, n * sizeof(*all));
	if (set->n)
		memcpy(all + n, set->arg, set->n * sizeof(*all));
	return all;
}

void argset_clear(struct argset *set)
{
	for (size_t i = 0; i < set->n; i++)
		free(set->arg[i]);
	free(set->arg);
	*set = (struct argset){0};
}
