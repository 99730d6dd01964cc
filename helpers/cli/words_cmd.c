/* SPDX-License-Identifier: Apache-2.0 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "core/plan/dialect.h"
#include "helpers/cli/command.h"
#include "helpers/cli/json_print.h"
#include "registry/registry.h"

static const struct command_option json_options[] = {
	{"json", NULL, "print JSON"},
	{0},
};

/* A command that prints a text or JSON. */
static int print_either(const struct given *g, void (*text)(FILE *f),
			void (*json)(struct json *j))
{
	struct json j;

	if (!option(g, "json")) {
		text(stdout);
		return EXIT_DONE;
	}
	j = json_begin(stdout);
	json(&j);
	json_end(&j);
	return EXIT_DONE;
}

/* --- for machines --- */

static void json_frameworks(struct json *j)
{
	const struct framework_alias *a;
	const struct framework *fw;

	json_add(j, "frameworks:[");
	for (size_t i = 0; (fw = framework_nth(i)) != NULL; i++) {
		json_add(j, "{name:%s aliases:[", fw->name);
		for (size_t k = 0; (a = alias_nth(k)); k++)
			if (!strcmp(a->framework, fw->name))
				json_add(j, "%s", a->name);
		json_add(j, "] summary:%s tested:%s role:%s}", fw->summary,
			 fw->tested, role_name(fw->role));
	}
	json_add(j, "]");
}

/* Where its values are numbers: how small and how large. */
static void put_limits(struct json *j, const struct option_key *key)
{
	if (option_has_numbers(key))
		json_add(j, "min:%g max:%g unit?:%s", (double)key->min,
			 (double)key->max,
			 key->kind == KIND_SECONDS ? "seconds"
			 : key->kind == KIND_SIZE  ? "bytes"
						   : NULL);
}

static void put_owners(struct json *j, const struct option_key *key)
{
	const struct framework *fw;

	if (!key_is_own(key))
		return;
	json_add(j, "frameworks:[");
	for (size_t i = 0; (fw = framework_nth(i)); i++)
		if (framework_has_key(fw, key))
			json_add(j, "%s", fw->name);
	json_add(j, "]");
}

static void put_key(struct json *j, const struct option_key *key)
{
	char initial[24];

	help_default(key, initial);
	json_add(j, "{name:%s group:%s", key->name,
		 help_group_name(help_group_of(key)));
	json_list(j, "words", key->words, ' ');
	json_add(j, "value:%s default:%s", key->value,
		 *initial ? initial : NULL);
	put_limits(j, key);
	put_owners(j, key);
	json_add(j, "meaning:%s}", key->meaning);
}

static void json_keys(struct json *j)
{
	const struct option_key *key;

	json_add(j, "keys:[");
	for (size_t i = 0; (key = key_nth(i)); i++)
		put_key(j, key);
	json_add(j, "]");
}

static void json_dialects(struct json *j)
{
	const struct dialect *d;

	json_add(j, "dialects:[");
	for (size_t i = 0; (d = dialect_nth(i)); i++) {
		json_add(j, "{name:%s summary:%s frameworks:[", d->name,
			 d->summary);
		for (const struct dialect_form *f = d->form; f->framework; f++)
			json_add(j, "%s", f->framework);
		json_add(j, "]}");
	}
	json_add(j, "]");
}

static void json_version(struct json *j)
{
	json_add(j, "version:%s", PACKAGE_VERSION);
}

/* --- for a person --- */

static void print_frameworks(FILE *f)
{
	help_frameworks(f, NULL, true);
}

static int run_frameworks(struct given *g, struct err *err)
{
	(void)err;
	return print_either(g, print_frameworks, json_frameworks);
}

const struct command frameworks_command = {
	.name = "frameworks",
	.summary = "what can stand behind --dist-train=",
	.usage = "[--json]",
	.about = "Lists the frameworks with the versions that were "
		 "tested. dist-train help FRAMEWORK shows the keys of "
		 "one, and its other names.",
	.example = "dist-train frameworks\n"
		   "dist-train help tf-ps",
	.page = "dist-train-frameworks",
	.options = json_options,
	.run = run_frameworks,
};

static int run_keys(struct given *g, struct err *err)
{
	(void)err;
	return print_either(g, help_keys, json_keys);
}

const struct command keys_command = {
	.name = "keys",
	.summary = "all keys: everyday ones, a framework's own, expert",
	.usage = "[--json]",
	.about = "Lists the keys of --dist-train=FRAMEWORK,KEY=VALUE "
		 "with their values, the default first. dist-train "
		 "help KEY shows one.",
	.example = "dist-train keys\n"
		   "dist-train help restarts",
	.page = "dist-train-keys",
	.options = json_options,
	.run = run_keys,
};

static void print_dialects(FILE *f)
{
	const struct dialect *d;

	for (size_t i = 0; (d = dialect_nth(i)) != NULL; i++)
		help_dialect(f, d);
}

static int run_dialects(struct given *g, struct err *err)
{
	(void)err;
	return print_either(g, print_dialects, json_dialects);
}

const struct command dialects_command = {
	.name = "dialects",
	.summary = "platforms whose scripts run unchanged",
	.usage = "[--json]",
	.about = "Lists the values of the key dialect, and for which "
		 "frameworks each has names, files or arguments.",
	.example = "dist-train explain ddp,dialect=kubeflow --nodes 2",
	.page = "dist-train-frameworks",
	.options = json_options,
	.run = run_dialects,
};

static void print_version(FILE *f)
{
	fputs("dist-train " PACKAGE_VERSION "\n", f);
}

static int run_version(struct given *g, struct err *err)
{
	(void)err;
	return print_either(g, print_version, json_version);
}

const struct command version_command = {
	.name = "version",
	.summary = "the version",
	.usage = "[--json]",
	.about = "Prints the version of slurm-dist-train. dist-train "
		 "--version, -V and -v do the same.",
	.example = "dist-train version --json",
	.page = "dist-train",
	.options = json_options,
	.run = run_version,
};
