/* SPDX-License-Identifier: Apache-2.0 */
#include "helpers/cli/ranktable/table_report.h"

#include "core/base/array.h"
#include "core/base/parse.h"

#include <stdlib.h>
#include <string.h>

int names_add(struct names *names, const char *text, unsigned a, unsigned b)
{
	struct name *name;

	if (!text)
		return 0;
	name = array_append(&names->name, names->n, sizeof(*name));
	if (!name)
		return -1;
	*name = (struct name){text, {a, b}};
	names->n++;
	return 0;
}

static int compare_names(const void *pa, const void *pb)
{
	const struct name *a = pa, *b = pb;
	int order = strcmp(a->text, b->text);

	if (order)
		return order;
	if (a->at[0] != b->at[0])
		return a->at[0] < b->at[0] ? -1 : 1;
	return a->at[1] < b->at[1] ? -1 : 1;
}

static void report_twice(const struct names *names, const struct name *name,
			 struct report *r)
{
	const struct where list = {.key = names->list};
	const struct where at = {.up = &list, .index = name->at[0]};
	const struct where inner = {.up = &at, .key = names->inner};
	const struct where at_inner = {.up = &inner, .index = name->at[1]};
	const struct where where = {.up = names->inner ? &at_inner : &at,
				    .key = names->key};
	char shown[SHOW_SIZE];

	if (names->says_former)
		report_where(r, &where, CODE_VALUE, names->remedy,
			     "%s is also used by %s[%u]",
			     show(shown, name->text), names->list,
			     name[-1].at[0]);
	else
		report_where(r, &where, CODE_VALUE, names->remedy,
			     "%s is listed twice", show(shown, name->text));
}

void names_report(struct names *names, struct report *r)
{
	sort_items(names->name, names->n, sizeof(*names->name), compare_names);
	for (size_t i = 1; i < names->n; i++)
		if (!strcmp(names->name[i - 1].text, names->name[i].text))
			report_twice(names, &names->name[i], r);
	free(names->name);
	names->name = NULL;
	names->n = 0;
}
