/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/help.h"

#include "core/option/config.h"
#include "core/option/option.h"
#include "core/plan/dialect.h"
#include "core/plan/framework.h"
#include "helpers/cli/doctor/doctor_cmd.h"
#include "helpers/cli/explain/explain_cmd.h"
#include "helpers/cli/node/devices_cmd.h"

#include "helpers/cli/timeline/timeline_cmd.h"
#include "registry/registry.h"

#include <string.h>

#define COLUMNS 79
#define INDENT	8

static const char usage[] =
	"Usage: dist-train explain FRAMEWORK[,KEY=VALUE]... [OPTION]...\n"
	"       dist-train devices [OPTION]...\n"
	"       dist-train doctor [OPTION]...\n"
	"       dist-train frameworks [--json]\n"
	"       dist-train dialects\n"
	"       dist-train profiles [DIR [NAME]]\n"
	"       dist-train ranktable check|merge|show ... (--help shows more)\n"
	"       dist-train timeline FILE -o FILE.svg|.json\n"
	"       dist-train --help | --version\n"
	"\n"
	"explain shows what srun --dist-train=FRAMEWORK[,KEY=VALUE]... gives "
	"each\n"
	"process of a step, without a step: the layout comes from its "
	"options.\n";

static const char footer[] =
	"\n"
	"Exit status: 0 done, 1 a finding or a failure, 2 wrong usage.\n"
	"More: man dist-train, man dist_train.\n";

/* Words up to the right margin, each line after `indent` blanks. `column` is
 * where the cursor is. */
static void put_wrapped(FILE *f, const char *text, int column, int indent)
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

static void put_table(FILE *f, const struct command_option *options)
{
	for (const struct command_option *o = options; o->name; o++) {
		if (!o->meaning)
			continue;
		fprintf(f, "  --%s%s%s\n", o->name, o->value ? " " : "",
			o->value ? o->value : "");
		put_wrapped(f, o->meaning, 0, INDENT);
	}
}

static void put_options(FILE *f)
{
	fputc('\n', f);
	put_table(f, explain_options);
	fputs("\ndevices shows the NPUs of this node:\n", f);
	put_table(f, devices_options);
	fputs("\ndoctor checks, in an allocation, whether a job would work on "
	      "its nodes:\n",
	      f);
	put_table(f, doctor_options);
	fputs("\ntimeline draws the record that the key timeline=FILE "
	      "writes:\n",
	      f);
	put_table(f, timeline_options);
}

void help_frameworks(FILE *f, bool tested)
{
	const struct framework *fw;

	for (size_t i = 0; (fw = framework_nth(i)) != NULL; i++) {
		int column = fprintf(
			f, "  %s%s%s%s", fw->name, fw->alias ? " (" : "",
			fw->alias ? fw->alias : "", fw->alias ? ")" : "");

		if (column < 2 * INDENT + 2)
			column +=
				fprintf(f, "%*s", 2 * INDENT + 2 - column, "");
		put_wrapped(f, fw->summary, column, 2 * INDENT + 2);
		if (!tested)
			continue;
		column = fprintf(f, "%*stested with:", 2 * INDENT + 2, "");
		put_wrapped(f, fw->tested ? fw->tested : "nothing so far",
			    column, 2 * INDENT + 2);
	}
}

static void put_dialect(FILE *f, const struct dialect *d)
{
	int column = fprintf(f, "  %s", d->name);

	column += fprintf(f, "%*s", 2 * INDENT + 2 - column, "");
	put_wrapped(f, d->summary, column, 2 * INDENT + 2);
	fprintf(f, "%*sfor:", 2 * INDENT + 2, "");
	for (const struct dialect_form *form = d->form; form->framework; form++)
		fprintf(f, " %s", form->framework);
	fputc('\n', f);
}

void help_dialects(FILE *f)
{
	const struct dialect *d;

	for (size_t i = 0; (d = dialect_nth(i)) != NULL; i++)
		put_dialect(f, d);
}

static void put_key(FILE *f, const struct option_key *key)
{
	char values[256];

	fprintf(f, "  %s=%s", key->name,
		option_values(key, values, sizeof(values)));
	if (key->kind == KIND_NUMBER && !*key->words)
		fprintf(f, " (%ld)", key->initial);
	fputc('\n', f);
	put_wrapped(f, key->meaning, 0, INDENT);
}

static void put_keys(FILE *f)
{
	fputs("\nKeys (the default first):\n", f);
	for (int i = 0; i < KEY_COUNT; i++)
		put_key(f, &option_keys[i]);
}

static void put_arguments(FILE *f)
{
	fputs("\nThe plugin's arguments in plugstack.conf (--conf):\n", f);
	for (int i = 0; i < CONFIG_COUNT; i++) {
		const struct config_arg *a = &config_args[i];

		fprintf(f, "  %s=%s (%s)\n", a->name, a->value, a->initial);
		put_wrapped(f, a->meaning, 0, INDENT);
	}
}

void help_print(FILE *f)
{
	fputs(usage, f);
	put_options(f);
	fputs("\nFrameworks:\n", f);
	help_frameworks(f, false);
	fputs("\nDialects:\n", f);
	help_dialects(f);
	put_keys(f);
	put_arguments(f);
	fputs(footer, f);
}
