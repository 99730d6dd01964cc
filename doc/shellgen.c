/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shellgen bash|zsh|manual: what completion has to know of the tables of
 * commands, keys and frameworks, as variables of that shell; or the manual's
 * list of commands.
 */
#include "core/ascend/chip.h"
#include "core/option/option.h"
#include "core/plan/framework.h"
#include "helpers/cli/main/commands.h"
#include "registry/registry.h"

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
	for (const struct command_option *o = c->options; o && o->name; o++) {
		if (o->meaning && option_letter(o))
			printf("-%c ", option_letter(o));
		if (o->meaning)
			printf("--%s ", o->name);
	}
	fputs("--help", stdout);
}

/* What the value of an option is, or a command's words are: the name of a kind
 * that the shell finds, or the words themselves. "none": nothing is offered. */
static const char *kind_of(const char *text)
{
	static const char *const kinds[][2] = {
		{"FILE", "file"},
		{"PATH", "file"},
		{"DIR", "dir"},
		{"NAME", "user"},
		{"CHIP", CHIP_NAMES},
		{"[JOB", "job"},
		{"JOB", "job"},
		{"[NAME]", "profile"},
		{"FORMAT", "text json sh env names"},
		{"HOW", "block cyclic plane="},
		{"check ", "file"},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strncmp(text, kinds[i][0], strlen(kinds[i][0])))
			return kinds[i][1];
	return "none";
}

static void put_kind(const char *begin, const char *command, const char *option,
		     const char *between, const char *kind)
{
	printf("\t%s%s%s%s'", begin, command, option, between);
	for (; *kind; kind++)
		if (*kind != ',')
			putchar(*kind);
	puts("'");
}

/* COMMAND KIND, of its words, and COMMAND--OPTION KIND of those with a value.
 */
static void put_kinds(const char *begin, const char *between)
{
	char name[64];

	puts("typeset -gA _dist_train_kinds=(");
	for (const struct command *const *c = commands; *c; c++) {
		const struct command_option *o = (*c)->options;

		put_kind(begin, (*c)->name, "", between, kind_of((*c)->usage));
		for (; o && o->name; o++) {
			if (!o->meaning || !o->value)
				continue;
			snprintf(name, sizeof(name), "--%s", o->name);
			put_kind(begin, (*c)->name, name, between,
				 kind_of(o->value));
			snprintf(name, sizeof(name), "-%c", option_letter(o));
			if (option_letter(o))
				put_kind(begin, (*c)->name, name, between,
					 kind_of(o->value));
		}
	}
	puts(")");
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
	for (const struct command *const *c = commands; *c; c++) {
		printf("\t%s%s%s'", begin, (*c)->name, between);
		put_options(*c);
		puts("'");
	}
	puts(")");
	put_kinds(begin, between);
	puts("typeset -gA _dist_train_keys=(");
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

/* A page that this one refers to. Those of a command have its name. */
static void put_page(const char *name)
{
	const char *section = strchr(name, '_') ? "8"
			      : !strcmp(name, "dist-train-frameworks") ||
					      !strcmp(name, "dist-train-keys")
				      ? "7"
				      : "1";

	fputs(".RB ( ", stdout);
	for (; *name; name++)
		fputs(*name == '-' ? "\\-" : (char[]){*name, 0}, stdout);
	printf(" (%s)).\n", section);
}

/* The list of commands in dist-train(1). */
static void put_manual(void)
{
	for (const struct command *const *c = commands; *c; c++) {
		printf(".TP\n.B dist\\-train %s\n", (*c)->name);
		help_wrapped(stdout, (*c)->about, 0, 0);
		if (strcmp((*c)->page, "dist-train") != 0)
			put_page((*c)->page);
	}
}

int main(int argc, char *argv[])
{
	if (argc == 2 && !strcmp(argv[1], "bash"))
		put_bash();
	else if (argc == 2 && !strcmp(argv[1], "zsh"))
		put_zsh();
	else if (argc == 2 && !strcmp(argv[1], "manual"))
		put_manual();
	else
		return 2;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	perror("shellgen");
	return 1;
}
