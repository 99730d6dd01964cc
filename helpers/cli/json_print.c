/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/json_print.h"

#include "core/base/cleanup.h"

#include <math.h>
#include <string.h>

cJSON *json_new(void)
{
	cJSON *o = cJSON_CreateObject();

	if (o && json_add_number(o, "schema", JSON_SCHEMA))
		return o;
	cJSON_Delete(o);
	return NULL;
}

int json_print(FILE *f, const cJSON *json, struct err *err)
{
	cleanup_free char *text = json ? cJSON_PrintUnformatted(json) : NULL;

	if (!text)
		return err_memory(err);
	fprintf(f, "%s\n", text);
	return 0;
}

cJSON *json_add_new(cJSON *to, const char *name)
{
	cJSON *o = cJSON_AddObjectToObject(to, name);

	return o && json_add_number(o, "schema", JSON_SCHEMA) ? o : NULL;
}

/* Takes `item` over, also where it is NULL or can't be added. */
static cJSON *add_item(cJSON *array, cJSON *item)
{
	if (item && cJSON_AddItemToArray(array, item))
		return item;
	cJSON_Delete(item);
	return NULL;
}

cJSON *json_append(cJSON *array)
{
	return add_item(array, cJSON_CreateObject());
}

bool json_append_text(cJSON *array, const char *text)
{
	return add_item(array, cJSON_CreateString(text));
}

bool json_append_number(cJSON *array, double number)
{
	return add_item(array, cJSON_CreateNumber(number));
}

bool json_add_text(cJSON *to, const char *name, const char *text)
{
	return text ? cJSON_AddStringToObject(to, name, text) != NULL
		    : cJSON_AddNullToObject(to, name) != NULL;
}

bool json_add_number(cJSON *to, const char *name, double number)
{
	return cJSON_AddNumberToObject(to, name, number) != NULL;
}

bool json_add_ms(cJSON *to, const char *name, double ms)
{
	return json_add_number(to, name, round(ms * 1000) / 1e6);
}

bool json_add_flag(cJSON *to, const char *name, bool is)
{
	return !is || cJSON_AddBoolToObject(to, name, true) != NULL;
}

bool json_add_list(cJSON *to, const char *name, const char *list,
		   char separator)
{
	cJSON *array = cJSON_AddArrayToObject(to, name);

	while (array && *list) {
		size_t len = (size_t)(strchrnul(list, separator) - list);
		cleanup_free char *item = strndup(list, len);

		if (!item || !json_append_text(array, item))
			return false;
		list += len + (list[len] != '\0');
	}
	return array != NULL;
}

bool json_wanted(int argc, char *const argv[])
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (!strcmp(argv[i], "srun") || !strcmp(argv[i], "exec"))
			return false;
		if (!strcmp(argv[i], "--json"))
			return true;
	}
	return false;
}

void json_print_error(FILE *f, const char *text)
{
	cleanup_json cJSON *o = json_new();
	struct err ignored;

	if (o && json_add_text(o, "error", text))
		json_print(f, o, &ignored);
}
