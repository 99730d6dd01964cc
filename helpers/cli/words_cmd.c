/* SPDX-License-Identifier: Apache-2.0 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "helpers/cli/commands.h"

#include "core/base/parse.h"
#include "core/base/unknown_word.h"
#include "core/plan/dialect.h"
#include "helpers/cli/help.h"
#include "helpers/cli/json_print.h"
#include "registry/registry.h"
#include "registry/words_help.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

enum { OPT_JSON, OPT_HELP, OPT_COUNT };

const struct command_option json_options[] = {
	[OPT_JSON] = {"json", NULL, "print JSON"},
	[OPT_HELP] = {"help", NULL, "print this help"},
	[OPT_COUNT] = {NULL, NULL, NULL},
};

/* A command that prints a text or JSON. */
static int print_either(int argc, char *argv[], void (*text)(FILE *f),
			int (*json)(FILE *f, struct err *err), struct err *err)
{
	const char *value[OPT_COUNT] = {NULL};

	if (command_read_only(argc, argv, json_options, value, err) < 0)
		return EXIT_USAGE;
	if (value[OPT_HELP])
		return SHOW_HELP;
	if (value[OPT_JSON])
		return json(stdout, err) < 0 ? EXIT_FINDING : EXIT_DONE;
	text(stdout);
	return EXIT_DONE;
}

/* --- for machines --- */

static cJSON *add_array(cJSON *to, const char *name)
{
	return to ? cJSON_AddArrayToObject(to, name) : NULL;
}

static bool add_aliases(cJSON *to, const struct framework *fw)
{
	cJSON *array = add_array(to, "aliases");
	const struct framework_alias *a;

	for (size_t i = 0; array && (a = alias_nth(i)); i++)
		if (!strcmp(a->framework, fw->name) &&
		    !json_append_text(array, a->name))
			return false;
	return array;
}

static bool add_framework(cJSON *array, const struct framework *fw)
{
	cJSON *o = json_append(array);

	return o && json_add_text(o, "name", fw->name) && add_aliases(o, fw) &&
	       json_add_text(o, "summary", fw->summary) &&
	       json_add_text(o, "tested", fw->tested) &&
	       json_add_text(o, "role", role_name(fw->role));
}

static int json_frameworks(FILE *f, struct err *err)
{
	cleanup_json cJSON *o = json_new();
	cJSON *array = add_array(o, "frameworks");
	const struct framework *fw;

	for (size_t i = 0; array && (fw = framework_nth(i)) != NULL; i++)
		if (!add_framework(array, fw))
			return err_memory(err);
	return json_print(f, array ? o : NULL, err);
}

/* Where its values are numbers: how small and how large. */
static bool add_limits(cJSON *o, const struct option_key *key)
{
	return !option_has_numbers(key) ||
	       (json_add_number(o, "min", (double)key->min) &&
		json_add_number(o, "max", (double)key->max) &&
		(key->kind != KIND_SECONDS ||
		 json_add_text(o, "unit", "seconds")));
}

static bool add_owners(cJSON *o, const struct option_key *key)
{
	cJSON *array;
	const struct framework *fw;

	if (!key_is_own(key))
		return true;
	array = add_array(o, "frameworks");
	for (size_t i = 0; array && (fw = framework_nth(i)); i++)
		if (framework_has_key(fw, key) &&
		    !json_append_text(array, fw->name))
			return false;
	return array;
}

static bool add_key(cJSON *array, const struct option_key *key)
{
	cJSON *o = json_append(array);
	char initial[24];

	help_default(key, initial);
	return o && json_add_text(o, "name", key->name) &&
	       json_add_text(o, "group", help_group_name(help_group_of(key))) &&
	       json_add_list(o, "words", key->words, ' ') &&
	       json_add_text(o, "value", key->value) &&
	       json_add_text(o, "default", *initial ? initial : NULL) &&
	       add_limits(o, key) && add_owners(o, key) &&
	       json_add_text(o, "meaning", key->meaning);
}

static int json_keys(FILE *f, struct err *err)
{
	cleanup_json cJSON *o = json_new();
	cJSON *array = add_array(o, "keys");
	const struct option_key *key;

	for (size_t i = 0; array && (key = key_nth(i)); i++)
		if (!add_key(array, key))
			return err_memory(err);
	return json_print(f, array ? o : NULL, err);
}

static bool add_dialect(cJSON *array, const struct dialect *d)
{
	cJSON *o = json_append(array), *forms;

	if (!o || !json_add_text(o, "name", d->name) ||
	    !json_add_text(o, "summary", d->summary))
		return false;
	forms = add_array(o, "frameworks");
	for (const struct dialect_form *f = d->form; forms && f->framework; f++)
		if (!json_append_text(forms, f->framework))
			return false;
	return forms;
}

static int json_dialects(FILE *f, struct err *err)
{
	cleanup_json cJSON *o = json_new();
	cJSON *array = add_array(o, "dialects");
	const struct dialect *d;

	for (size_t i = 0; array && (d = dialect_nth(i)); i++)
		if (!add_dialect(array, d))
			return err_memory(err);
	return json_print(f, array ? o : NULL, err);
}

static int json_version(FILE *f, const char *version, struct err *err)
{
	cleanup_json cJSON *o = json_new();

	if (o && !json_add_text(o, "version", version))
		return err_memory(err);
	return json_print(f, o, err);
}

/* --- for a person --- */

static void print_frameworks(FILE *f)
{
	help_frameworks(f, NULL, true);
}

int frameworks_cmd(int argc, char *argv[], struct err *err)
{
	return print_either(argc, argv, print_frameworks, json_frameworks, err);
}

int keys_cmd(int argc, char *argv[], struct err *err)
{
	return print_either(argc, argv, help_keys, json_keys, err);
}

static void print_dialects(FILE *f)
{
	const struct dialect *d;

	for (size_t i = 0; (d = dialect_nth(i)) != NULL; i++)
		help_dialect(f, d);
}

int dialects_cmd(int argc, char *argv[], struct err *err)
{
	return print_either(argc, argv, print_dialects, json_dialects, err);
}

static void print_version(FILE *f)
{
	fputs("dist-train " PACKAGE_VERSION "\n", f);
}

static int json_of_version(FILE *f, struct err *err)
{
	return json_version(f, PACKAGE_VERSION, err);
}

int version_cmd(int argc, char *argv[], struct err *err)
{
	return print_either(argc, argv, print_version, json_of_version, err);
}

/* Every word that help knows: commands, keys, frameworks, aliases, dialects. */
static const char *word_nth(size_t n)
{
	size_t i;

	for (i = 0; commands[i].name; i++)
		if (!n--)
			return commands[i].name;
	for (i = 0; key_nth(i); i++)
		if (!n--)
			return key_nth(i)->name;
	for (i = 0; framework_nth(i); i++)
		if (!n--)
			return framework_nth(i)->name;
	for (i = 0; alias_nth(i); i++)
		if (!n--)
			return alias_nth(i)->name;
	for (i = 0; dialect_nth(i); i++)
		if (!n--)
			return dialect_nth(i)->name;
	return NULL;
}

static const char *command_nth(size_t n)
{
	return commands[n].name;
}

static const struct dialect *find_dialect(const char *word)
{
	for (size_t i = 0; dialect_nth(i); i++)
		if (!strcasecmp(dialect_nth(i)->name, word))
			return dialect_nth(i);
	return NULL;
}

/* A command or a key, which may have the same name. */
static bool explain_word(FILE *f, const char *word)
{
	const struct command *c = command_find(word);
	const struct option_key *key = key_find(word, strlen(word));

	if (c)
		help_command(f, c);
	if (c && key)
		fputs("\nThe key of that name:\n", f);
	if (key)
		help_key(f, key);
	return c || key;
}

/* The others. */
static bool explain_name(FILE *f, const char *word)
{
	const struct dialect *d = find_dialect(word);
	const struct framework *fw;
	struct err unknown;

	fw = framework_find(word, &unknown);
	if (fw)
		help_framework(f, fw);
	else if (d)
		help_dialect(f, d);
	else if (!strcmp(word, "plugstack.conf"))
		help_arguments(f);
	else
		return false;
	return true;
}

int help_cmd(int argc, char *argv[], struct err *err)
{
	char shown[SHOW_SIZE];

	if (argc > 2) {
		err_printf(err, "help: unexpected argument %s; write help WORD",
			   show(shown, argv[2]));
		return EXIT_USAGE;
	}
	if (argc < 2 || !strcmp(argv[1], "--help")) {
		help_overview(stdout);
		return EXIT_DONE;
	}
	if (explain_word(stdout, argv[1]) || explain_name(stdout, argv[1]))
		return EXIT_DONE;
	unknown_word_of(err, "word", argv[1], word_nth, command_nth);
	return EXIT_USAGE;
}
