/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/words_json.h"

#include "core/base/parse.h"
#include "core/plan/dialect.h"
#include "helpers/cli/json_print.h"
#include "registry/registry.h"
#include "registry/words_help.h"

#include <string.h>

static cJSON *add_array(cJSON *to, const char *name)
{
	return to ? cJSON_AddArrayToObject(to, name) : NULL;
}

static bool append_text(cJSON *array, const char *text)
{
	cJSON *item = cJSON_CreateString(text);

	return item && cJSON_AddItemToArray(array, item);
}

static bool add_aliases(cJSON *to, const struct framework *fw)
{
	cJSON *array = add_array(to, "aliases");
	const struct framework_alias *a;

	for (size_t i = 0; array && (a = alias_nth(i)); i++)
		if (!strcmp(a->framework, fw->name) &&
		    !append_text(array, a->name))
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

int json_frameworks(FILE *f, struct err *err)
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

	if (!key->group)
		return true;
	array = add_array(o, "frameworks");
	for (size_t i = 0; array && (fw = framework_nth(i)); i++)
		if (help_has_key(fw, key) && !append_text(array, fw->name))
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

int json_keys(FILE *f, struct err *err)
{
	cleanup_json cJSON *o = json_new();
	cJSON *array = add_array(o, "keys");

	for (int i = 0; array && i < KEY_COUNT; i++)
		if (!add_key(array, &option_keys[i]))
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
		if (!append_text(forms, f->framework))
			return false;
	return forms;
}

int json_dialects(FILE *f, struct err *err)
{
	cleanup_json cJSON *o = json_new();
	cJSON *array = add_array(o, "dialects");
	const struct dialect *d;

	for (size_t i = 0; array && (d = dialect_nth(i)); i++)
		if (!add_dialect(array, d))
			return err_memory(err);
	return json_print(f, array ? o : NULL, err);
}

int json_version(FILE *f, const char *version, struct err *err)
{
	cleanup_json cJSON *o = json_new();

	if (o && !json_add_text(o, "version", version))
		return err_memory(err);
	return json_print(f, o, err);
}
