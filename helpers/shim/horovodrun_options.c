/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line of horovodrun 0.18 to 0.28: which options exist, which
 * take a value, which the stand-in accepts. Pure text; dist-train-horovodrun
 * calls it.
 */
#include "helpers/shim/horovodrun_options.h"

#include "core/base/parse.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <string.h>

enum taken { NOTHING, ASKED, MPI_ARGS };

/* The options of horovodrun 0.18 to 0.28. */
static const struct known {
	const char *name;
	bool value;
	enum taken taken;
} known[] = {
	{"-np", true, ASKED},
	{"--num-proc", true, ASKED},
	{"-H", true, ASKED},
	{"--hosts", true, ASKED},
	{"-hostfile", true, ASKED},
	{"--hostfile", true, ASKED},
	{"--mpi-args", true, MPI_ARGS},
	{"--network-interface", true, NOTHING},
	{"--network-interfaces", true, NOTHING},
	{"--start-timeout", true, NOTHING},
	{"--gloo-timeout-seconds", true, NOTHING},
	{"-p", true, NOTHING},
	{"--ssh-port", true, NOTHING},
	{"-i", true, NOTHING},
	{"--ssh-identity-file", true, NOTHING},
	{"--binding-args", true, NOTHING},
	{"--mpi", false, NOTHING},
	{"--gloo", false, NOTHING},
	{"--tcp", false, NOTHING},
	{"--disable-cache", false, NOTHING},
	{"--verbose", false, NOTHING},
};

/* Look up the option that `word` is, and its value if it has one after '='. */
static const struct known *find_option(const char *word, const char **ret_value)
{
	size_t n = strcspn(word, "=");

	*ret_value = word[n] ? word + n + 1 : NULL;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strlen(known[i].name) == n &&
		    !memcmp(known[i].name, word, n))
			return &known[i];
	return NULL;
}

static void take_option(struct horovodrun_options *o,
			const struct known *option, const char *value)
{
	if (option->taken == MPI_ARGS)
		o->mpi_args = value;
	if (option->taken == ASKED)
		text_add(o->asked, sizeof(o->asked), " ", "%s %s", option->name,
			 value);
}

int horovodrun_options_read(int argc, char *argv[],
			    struct horovodrun_options *ret, struct err *err)
{
	struct horovodrun_options o = {.mpi_args = ""};
	char shown[SHOW_SIZE];
	int i;

	for (i = 1; i < argc && *argv[i] == '-'; i++) {
		const char *value, *word = argv[i];
		const struct known *option = find_option(word, &value);

		if (!option || (value && !option->value))
			return err_printf(err,
					  "option %s: this stand-in for "
					  "horovodrun only starts PROGRAM in "
					  "every process of the Slurm step",
					  show(shown, word));
		if (option->value && !value)
			value = ++i < argc ? argv[i] : NULL;
		if (option->value && !value)
			return err_printf(err, "option %s has no value", word);
		take_option(&o, option, value);
	}
	if (i >= argc)
		return err_printf(err, "no program; usage as of horovodrun: "
				       "-np N -H HOST:N PROGRAM [ARG]...");
	o.program = argv + i;
	*ret = o;
	return 0;
}

/* --- -x NAME=VALUE --- */

/* The next word of *at, with its quotes removed in place. NULL after the last
 * word, and for a quote that isn't closed (then *at is NULL). */
static char *next_word(char **at)
{
	char *word, *to, quote = '\0';

	*at += strspn(*at, " \t\n");
	if (!**at)
		return NULL;
	word = to = *at;
	for (; **at && (quote || !strchr(" \t\n", **at)); (*at)++) {
		if (quote && **at == quote)
			quote = '\0';
		else if (!quote && strchr("\"'", **at))
			quote = **at;
		else if (**at == '\\' && quote != '\'' && (*at)[1])
			*to++ = *++*at;
		else
			*to++ = **at;
	}
	if (quote)
		*at = NULL;
	else
		*at += **at != '\0';
	*to = '\0';
	return *at ? word : NULL;
}

static int export_variable(char *word, int (*set)(const char *, const char *))
{
	char *eq = strchr(word, '=');

	if (!eq)
		return 0;
	*eq = '\0';
	return *word ? set(word, eq + 1) : 0;
}

int horovodrun_exports(const char *mpi_args,
		       int (*set)(const char *name, const char *value),
		       struct err *err)
{
	cleanup_free char *copy = strdup(mpi_args);
	char *at = copy, *word;
	bool behind_x = false;

	if (!copy)
		return err_memory(err);
	while ((word = next_word(&at))) {
		if (behind_x && export_variable(word, set) < 0)
			return err_memory(err);
		behind_x = !strcmp(word, "-x");
	}
	return at ? 0 : err_printf(err, "--mpi-args: a quote isn't closed");
}
