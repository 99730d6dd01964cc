/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/command.h"

#include "core/base/text.h"
#include "registry/registry.h"

#define NAMES	18 /* where the text beside a name begins */
#define OPTIONS 24 /* where the text beside an option begins */

static void put_option(FILE *f, const struct command_option *o)
{
	int column = fprintf(f, "  --%s%s%s", o->name, o->value ? " " : "",
			     o->value ? o->value : "");

	if (column >= OPTIONS) {
		fputc('\n', f);
		column = 0;
	}
	help_wrapped(f, o->meaning, column, OPTIONS);
}

static void put_options(FILE *f, const struct command_option *options)
{
	const struct command_option help = {"help", NULL, "print this help"};

	fputs("\nOptions:\n", f);
	for (const struct command_option *o = options; o->name; o++)
		if (o->meaning)
			put_option(f, o);
	put_option(f, &help);
}

void help_on(FILE *f, const struct command *c)
{
	char before[64], after[64];

	snprintf(before, sizeof(before), "Usage: dist-train %s ", c->name);
	snprintf(after, sizeof(after), "       dist-train %s ", c->name);
	text_lines_put(f, c->usage, before, after);
	fputc('\n', f);
	help_wrapped(f, c->about, 0, 0);
	if (c->options)
		put_options(f, c->options);
	fprintf(f, "\nExample%s:\n", strchr(c->example, '\n') ? "s" : "");
	text_lines_put(f, c->example, "  ", "  ");
	fprintf(f, "\nMore: man %s\n", c->page);
}

void help_dialect(FILE *f, const struct dialect *d)
{
	help_wrapped(f, d->summary, fprintf(f, "  %-*s", NAMES - 2, d->name),
		     NAMES);
	fprintf(f, "%*sfor:", NAMES, "");
	for (const struct dialect_form *form = d->form; form->framework; form++)
		fprintf(f, " %s", form->framework);
	fputc('\n', f);
}

void help_arguments(FILE *f)
{
	fputs("The plugin's arguments in plugstack.conf, and in explain "
	      "--conf:\n",
	      f);
	for (int i = 0; i < CONFIG_COUNT; i++) {
		const struct config_arg *a = &config_args[i];

		fprintf(f, "  %s=%s (%s)\n", a->name, a->value, a->initial);
		help_wrapped(f, a->meaning, 0, 8);
	}
}
