/* SPDX-License-Identifier: Apache-2.0 */
#include "spank/options.h"

#include "core/option/option.h"
#include "core/plan/framework.h"
#include "registry/registry.h"
#include "spank/srun/dist_option_compat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The option's text. It is static because SPANK's callback takes no argument of
 * ours. */
static char *given;

const char *options_text(void)
{
	return given && strcmp(given, "none") != 0 ? given : NULL;
}

void options_clear(void)
{
	free(given);
	given = NULL;
}

/* SPANK calls this for each source of the option. Keep the text only: a later
 * source may replace it, so it is parsed when all have been read. */
static int take_option(int val, const char *text, int remote)
{
	char *copy = strdup(text ? text : "");

	(void)val;
	(void)remote;
	if (!copy)
		return -1;
	free(given);
	given = copy;
	return 0;
}

/* The line in `srun --help`. */
static char *usage_text(void)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	const struct framework *fw;

	if (!f)
		return NULL;
	fputs("start distributed training: ", f);
	for (size_t i = 0; (fw = framework_nth(i)); i++)
		fprintf(f, "%s, ", fw->name);
	fputs("or none; keys:", f);
	for (int i = 0; i < KEY_COUNT; i++)
		fprintf(f, " %s", option_keys[i].name);
	fputs("; see `dist-train --help`", f);
	fclose(f);
	return text;
}

void options_register(spank_t sp, const struct config *config)
{
	static char name[sizeof(config->option)];
	static char arginfo[] = "FRAMEWORK[,KEY=VALUE]...";
	struct spank_option option = {
		.name = name,
		.arginfo = arginfo,
		.has_arg = 1,
		.cb = take_option,
	};

	strcpy(name, config->option);
	option.usage = usage_text();
	if (option.usage)
		spank_option_register(sp, &option);
	free(option.usage);
	if (spank_context() != S_CTX_REMOTE)
		dist_option_register(sp, name);
}
