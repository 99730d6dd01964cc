/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shellgen bash|zsh: what completion has to know of the tables of commands,
 * keys and frameworks, as variables of that shell.
 */
#include "core/option/option.h"
#include "core/plan/framework.h"
#include "helpers/cli/command.h"
#include "registry/registry.h"
#include "registry/words_help.h"

#include <stdio.h>
#include <string.h>

/* What both shells have, as words of a quoted text. */
static void put_words(const struct option_key *key)
{
	printf("'%s%s%s'", key->words, key->prefix ? " " : "",
	       key->prefix ? key->prefix : "");
}

/* The options of a command as its help has them, with their short forms. */
static void put_options(const struct command *c)
{
	const struct command_option *o = c->options;
	char letter;

	for (; o && o->name; o++) {
		if (!o->meaning || !strcmp(o->name, "help"))
			continue;
		if (sscanf(o->meaning, "(or -%c)", &letter) == 1)
			printf("-%c ", letter);
		printf("--%s ", o->name);
	}
	fputs("--help", stdout);
}

/* COMMAND 'OPTIONS', KEY 'WORDS' of all keys, KEY 'FRAMEWORKS' of those that
 * not all have, ALIAS FRAMEWORK: as the two shells write the elements of a map.
 */
static void put_maps(const char *begin, const char *between)
{
	const struct framework_alias *a;
	const struct option_key *key;
	char who[256];

	puts("typeset -gA _dist_train_options=(");
	for (const struct command *c = commands; c->name; c++) {
		printf("\t%s%s%s'", begin, c->name, between);
		put_options(c);
		puts("'");
	}
	puts(")\ntypeset -gA _dist_train_keys=(");
	for (size_t i = 0; (key = key_nth(i)); i++) {
		printf("\t%s%s%s", begin, key->name, between);
		put_words(key);
		putchar('\n');
	}
	puts(")\ntypeset -gA _dist_train_own=(");
	for (size_t i = 0; (key = key_nth(i)); i++)
		if (key_is_own(key) &&
		    frameworks_with_key(key, who, sizeof(who)))
			printf("\t%s%s%s'%s,'\n", begin, key->name, between,
			       who);
	puts(")\ntypeset -gA _dist_train_aliases=(");
	for (size_t i = 0; (a = alias_nth(i)) != NULL; i++)
		printf("\t%s%s%s%s\n", begin, a->name, between, a->framework);
	puts(")");
}

static void put_bash(void)
{
	const struct framework_alias *a;
	const struct framework *fw;

	fputs("_dist_train_frameworks='none help", stdout);
	for (size_t i = 0; (fw = framework_nth(i)) != NULL; i++)
		printf(" %s", fw->name);
	for (size_t i = 0; (a = alias_nth(i)) != NULL; i++)
		printf(" %s", a->name);
	puts("'");
	put_maps("[", "]=");
}

/* Frameworks as _describe takes them, "name:summary"; a colon in a summary
 * would end it nowhere. */
static void put_zsh(void)
{
	const struct framework_alias *a;
	const struct framework *fw;

	fputs("typeset -ga _dist_train_frameworks=(\n\t'none:off'\n"
	      "\t'help:show the frameworks, and start nothing'\n",
	      stdout);
	for (size_t i = 0; (fw = framework_nth(i)) != NULL; i++) {
		printf("\t'%s:", fw->name);
		for (const char *p = fw->summary; *p; p++)
			fputs(*p == '\'' ? "'\\''" : (char[]){*p, 0}, stdout);
		puts("'");
	}
	for (size_t i = 0; (a = alias_nth(i)) != NULL; i++)
		printf("\t'%s:the same as %s'\n", a->name, a->framework);
	puts(")");
	put_maps("", " ");
}

int main(int argc, char *argv[])
{
	if (argc == 2 && !strcmp(argv[1], "bash"))
		put_bash();
	else if (argc == 2 && !strcmp(argv[1], "zsh"))
		put_zsh();
	else
		return 2;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	perror("shellgen");
	return 1;
}
