/* SPDX-License-Identifier: Apache-2.0 */
/*
 * docgen: copy stdin to stdout and put what the tables of core/ know in the
 * place of the lines @FRAMEWORKS@, @KEYS@, @ARGUMENTS@, @FIGURES@ and
 * @STEP_KEYS@ (man(7)), and the version in that of @VERSION@ anywhere.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "core/option/option.h"
#include "core/plan/framework.h"
#include "registry/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

#define VERSION_MARK "@VERSION@"

/* Text that troff shows as it is; `literal`: as one types it. */
static void put_roff(const char *text, bool literal)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", stdout);
	for (; *text; text++) {
		if (*text == '\\')
			fputs("\\e", stdout);
		else if (*text == '-' && literal)
			fputs("\\-", stdout);
		else
			putchar(*text);
	}
}

static void put_font(char font, const char *text)
{
	printf("\\f%c", font);
	put_roff(text, true);
	fputs("\\fR", stdout);
}

static void put_sentence(const char *text)
{
	putchar('\n');
	put_roff(text, false);
	fputs(".\n", stdout);
}

static void put_frameworks(void)
{
	const struct framework_alias *a;
	const struct framework *fw;

	for (size_t i = 0; (fw = framework_nth(i)) != NULL; i++) {
		fputs(".TP\n", stdout);
		put_font('B', fw->name);
		for (size_t k = 0; (a = alias_nth(k)) != NULL; k++)
			if (!strcmp(a->framework, fw->name)) {
				fputs(", ", stdout);
				put_font('B', a->name);
			}
		put_sentence(fw->summary);
	}
}

/* "auto task device" and "N" as auto | task | device | N. */
static void put_values(const struct option_key *key)
{
	const char *word = key->words;
	bool first = true;

	while (*word) {
		int len = (int)strcspn(word, " ");

		printf("%s\\fB%.*s\\fR", first ? "" : "|", len, word);
		word += len + (word[len] == ' ');
		first = false;
	}
	if (key->value) {
		fputs(first ? "" : "|", stdout);
		put_font('I', key->value);
	}
}

static void put_key(const struct option_key *key)
{
	fputs(".TP\n", stdout);
	put_font('B', key->name);
	putchar('=');
	put_values(key);
	if (option_has_initial(key))
		printf(" (default %ld)", key->initial);
	put_sentence(key->meaning);
}

/* The frameworks that have this key, where not all of them do. */
static void put_owners(const struct option_key *key)
{
	char who[256];

	if (frameworks_with_key(key, who, sizeof(who)))
		printf("Only with: %s.\n", who);
}

static void put_key_group(enum help_group group, const char *title)
{
	const struct option_key *key;

	printf(".SS %s\n", title);
	for (size_t i = 0; (key = key_nth(i)); i++) {
		if (help_group_of(key) != group)
			continue;
		put_key(key);
		if (group == HELP_OWN)
			put_owners(key);
	}
}

static void put_keys(void)
{
	put_key_group(HELP_EVERYDAY, "Everyday keys");
	put_key_group(HELP_OWN, "Keys of some frameworks");
	put_key_group(HELP_EXPERT, "Expert keys");
}

static void put_arguments(void)
{
	for (int i = 0; i < CONFIG_COUNT; i++) {
		const struct config_arg *a = &config_args[i];

		fputs(".TP\n", stdout);
		put_font('B', a->name);
		putchar('=');
		put_font('I', a->value);
		printf(" (default %s)", a->initial);
		put_sentence(a->meaning);
	}
}

/* Of status: by its column, or where it has none by a name for programs. */
static void put_figure(const char *head, const char *member, const char *metric,
		       const char *help)
{
	if (!help)
		return;
	fputs(".TP\n", stdout);
	put_font('B', head ? head : member ? member : metric);
	put_sentence(help);
	if (member)
		printf("JSON: %s.\n", member);
	if (metric)
		printf("Prometheus: %s.\n", metric);
}

static void put_figures(void)
{
#define FIGURE(name, row, field, in, unit, head, width, member, metric, help)  \
	put_figure(head, member, metric, help);
#include "helpers/cli/status/figures.def"
#undef FIGURE
}

/* Of the step beside a file of roles. */
static void put_step_key(enum key_id id, bool refused, const char *text)
{
	fputs(".TP\n", stdout);
	put_font('B', option_keys[id].name);
	if (refused)
		fputs(" (refused)", stdout);
	put_sentence(text);
}

static void put_step_keys(void)
{
#define STEP_KEY(id, refused, text) put_step_key(KEY_##id, refused, text);
#include "frameworks/step_roles.def"
#undef STEP_KEY
}

static const struct mark {
	const char *line;
	void (*put)(void);
} marks[] = {
	{"@FRAMEWORKS@\n", put_frameworks}, {"@KEYS@\n", put_keys},
	{"@ARGUMENTS@\n", put_arguments},   {"@FIGURES@\n", put_figures},
	{"@STEP_KEYS@\n", put_step_keys},
};

static void put_line(const char *line)
{
	const char *mark;

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (!strcmp(marks[i].line, line)) {
			marks[i].put();
			return;
		}
	while ((mark = strstr(line, VERSION_MARK)) != NULL) {
		printf("%.*s" PACKAGE_VERSION, (int)(mark - line), line);
		line = mark + strlen(VERSION_MARK);
	}
	fputs(line, stdout);
}

int main(void)
{
	char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, stdin) >= 0)
		put_line(line);
	free(line);
	if (!ferror(stdin) && fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	perror("docgen");
	return 1;
}
