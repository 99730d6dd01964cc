/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/idlist.h"

#include "core/base/parse.h"
#include "core/base/text.h"

int idlist_parse(const char *text, struct idlist *ret)
{
	struct idlist list = {0};
	unsigned id, last;

	while (*text) {
		if (parse_range(&text, IDLIST_ID_MAX, &id, &last) < 0 ||
		    last - id >= IDLIST_MAX - list.n)
			return -1;
		while (id <= last)
			list.id[list.n++] = (unsigned short)id++;
	}
	*ret = list;
	return 0;
}

int idlist_find(const struct idlist *list, unsigned id)
{
	for (unsigned i = 0; i < list->n; i++)
		if (list->id[i] == id)
			return (int)i;
	return -1;
}

int idlist_format(const struct idlist *list, char *buf, size_t size)
{
	if (!size)
		return -1;
	buf[0] = '\0';
	for (unsigned i = 0; i < list->n; i++)
		if (text_add(buf, size, ",", "%u", list->id[i]) < 0)
			return -1;
	return 0;
}
