/* SPDX-License-Identifier: Apache-2.0 */
#include "registry/registry.h"

#include "core/base/parse.h"
#include "core/base/text.h"

#include <string.h>
#include <strings.h>

#define COLUMNS 79
#define INDENT	8
#define NAMES	18 /* where the text beside a framework's name begins */

void help_wrapped(FILE *f, const char *text, int column, int indent)
{
	while (*text) {
		int len = (int)strcspn(text, " ");

		if (column > indent && column + 1 + len > COLUMNS) {
			fputc('\n', f);
			column = 0;
		}
		if (column < indent)
			column += fprintf(f, "%*s", indent - column, "");
		else if (column > indent)
			column += fprintf(f, " ");
		column += fprintf(f, "%.*s", len, text);
		text += len + (text[len] == ' ');
	}
	fputc('\n', f);
}

enum help_group help_group_of(const struct option_key *key)
{
	if (key_is_own(key))
		return HELP_OWN;
	return key->everyday ? HELP_EVERYDAY : HELP_EXPERT;
}

const char *help_group_name(enum help_group group)
{
	static const char *const names[HELP_GROUPS] = {"everyday", "framework",
						       "expert"};

	return names[group];
}

const char *help_default(const struct option_key *key, char buf[24])
{
	if (option_has_initial(key))
		snprintf(buf, 24, "%ld", key->initial);
	else
		snprintf(buf, 24, "%.*s", (int)strcspn(key->words, " "),
			 key->words);
	return buf;
}

/* "TITLE words", wrapped. */
static void put_titled(FILE *f, const char *title, const char *words)
{
	help_wrapped(f, words, fprintf(f, "%s", title), 2);
}

static void put_aliases(FILE *f, const struct framework *fw)
{
	const struct framework_alias *a;
	char names[256] = "";

	for (size_t i = 0; (a = alias_nth(i)); i++)
		if (!strcmp(a->framework, fw->name))
			text_add(names, sizeof(names), ", ", "%s", a->name);
	if (*names)
		put_titled(f, "Also called:", names);
}

void help_frameworks(FILE *f, const char *allow, bool tested)
{
	const struct framework *fw;

	for (size_t i = 0; (fw = framework_nth(i)) != NULL; i++) {
		if (allow && !is_listed(allow, fw->name))
			continue;
		help_wrapped(f, fw->summary,
			     fprintf(f, "  %-*s", NAMES - 2, fw->name), NAMES);
		if (!tested)
			continue;
		fprintf(f, "%*stested with:", NAMES, "");
		help_wrapped(f, fw->tested ? fw->tested : "nothing so far",
			     NAMES + (int)strlen("tested with:"), NAMES);
	}
}

/* The line of a key; `owners`: with the frameworks that have it. */
static void put_key_line(FILE *f, const struct option_key *key, bool owners)
{
	char values[256], number[24], names[256] = "", who[260];
	int column = fprintf(f, "  %s=%s", key->name,
			     option_values(key, values, sizeof(values)));

	if (option_has_initial(key))
		column += fprintf(f, " (%s)", help_default(key, number));
	if (owners && key_is_own(key))
		frameworks_with_key(key, names, sizeof(names));
	snprintf(who, sizeof(who), "%s%s%s", *names ? "[" : "", names,
		 *names ? "]" : "");
	help_wrapped(f, who, column, INDENT);
}

static void put_group(FILE *f, const char *title, enum help_group group,
		      const struct framework *fw)
{
	const struct option_key *key;
	bool begun = false;

	for (size_t i = 0; (key = key_nth(i)); i++) {
		if (help_group_of(key) != group ||
		    (fw && !framework_has_key(fw, key)))
			continue;
		if (!begun)
			fprintf(f, "\n%s:\n", title);
		begun = true;
		put_key_line(f, key, !fw);
		help_wrapped(f, key->meaning, 0, INDENT);
	}
}

static void put_footer(FILE *f)
{
	fputs("\nThe default comes first. Times are seconds, or end in s, m or "
	      "h. on, yes, true\nand 1 are one word; so are off, no, false, 0 "
	      "and none.\nA comma in a path is written twice: "
	      "log-dir=out/lr=1,,bs=2.\n",
	      f);
}

static void put_expert_names(FILE *f)
{
	int column = fprintf(f, "\nExpert keys:");
	const struct option_key *key;

	for (size_t i = 0; (key = key_nth(i)); i++) {
		if (help_group_of(key) != HELP_EXPERT)
			continue;
		if (column + 1 + (int)strlen(key->name) > COLUMNS)
			column = fprintf(f, "\n ") - 1;
		column += fprintf(f, " %s", key->name);
	}
	fputs("\n(dist-train help KEY explains each of them)\n", f);
}

void help_framework(FILE *f, const struct framework *framework)
{
	char title[64];

	snprintf(title, sizeof(title), "%s:", framework->name);
	put_titled(f, title, framework->summary);
	put_aliases(f, framework);
	put_titled(f, "Tested with:",
		   framework->tested ? framework->tested : "nothing so far");
	snprintf(title, sizeof(title), "Keys of %s", framework->name);
	put_group(f, title, HELP_OWN, framework);
	put_group(f, "Everyday keys", HELP_EVERYDAY, framework);
	put_expert_names(f);
	put_footer(f);
}

void help_key(FILE *f, const struct option_key *key)
{
	char who[256];

	put_key_line(f, key, false);
	help_wrapped(f, key->meaning, 0, INDENT);
	if (key->kind == KIND_SECONDS)
		fprintf(f,
			"\nA time from %ld to %ld seconds: 90, 90s, 5m, 1h.\n",
			key->min, key->max);
	else if (key->kind == KIND_SIZE)
		fputs("\nA size: 0, or a number with K, M, G or T: 20G.\n", f);
	else if (key->kind == KIND_PATH)
		fprintf(f, "\nA comma in it is written twice: "
			   "out/lr=1,,bs=2.\n");
	else if (option_has_numbers(key))
		fprintf(f, "\nNumbers from %ld to %ld.\n", key->min, key->max);
	if (!key_is_own(key))
		return;
	frameworks_with_key(key, who, sizeof(who));
	fputc('\n', f);
	put_titled(f, "Only with:", who);
}

void help_keys(FILE *f)
{
	fputs("Keys of srun --dist-train=FRAMEWORK[,KEY=VALUE]...\n", f);
	put_group(f, "Everyday", HELP_EVERYDAY, NULL);
	put_group(f, "Of the frameworks in brackets", HELP_OWN, NULL);
	put_group(f, "Expert", HELP_EXPERT, NULL);
	put_footer(f);
}

static bool is_help(const char *word)
{
	return !strcasecmp(word, "help") || !strcasecmp(word, "list");
}

bool help_asked(FILE *f, const char *text, const char *allow)
{
	size_t len = strcspn(text, ",");
	const struct framework *fw;
	struct err unknown;
	char name[64];

	if (is_help(text)) {
		fputs("srun --dist-train=FRAMEWORK[,KEY=VALUE]... PROGRAM\n\n",
		      f);
		help_frameworks(f, allow, false);
		fputs("\n--dist-train=FRAMEWORK,help shows its keys.\n"
		      "A comma in a path is written twice.\n",
		      f);
		return true;
	}
	if (!text[len] || len >= sizeof(name) || !is_help(text + len + 1))
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)len, text);
	fw = framework_find(name, &unknown);
	if (fw)
		help_framework(f, fw);
	return fw;
}
