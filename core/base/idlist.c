/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/idlist.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#define ID_MAX 65535

static int read_id(const char **text, unsigned *ret)
{
	unsigned long n;
	char *end;

	if (!isdigit((unsigned char)**text))
		return -1;
	n = strtoul(*text, &end, 10);
	if (n > ID_MAX)
		return -1;
	*text = end;
	*ret = (unsigned)n;
	return 0;
}

static int add_range(struct idlist *list, unsigned first, unsigned last)
{
	if (last < first || last - first >= IDLIST_MAX - list->n)
		return -1;
	while (first <= last)
		list->id[list->n++] = (unsigned short)first++;
	return 0;
}

int idlist_parse(const char *text, struct idlist *ret)
{
	struct idlist list = {0};

	while (*text) {
		unsigned first, last;

		if (read_id(&text, &first) < 0)
			return -1;
		last = first;
		if (*text == '-') {
			text++;
			if (read_id(&text, &last) < 0)
				return -1;
		}
		if (list.n == IDLIST_MAX || add_range(&list, first, last) < 0)
			return -1;
		if (*text == ',' && text[1])
			text++;
		else if (*text)
			return -1;
	}
	*ret = list;
	return 0;
}

int idlist_format(const struct idlist *list, char *buf, size_t size)
{
	size_t used = 0;

	if (!size)
		return -1;
	buf[0] = '\0';
	for (unsigned i = 0; i < list->n; i++) {
		int n = snprintf(buf + used, size - used, "%s%u", i ? "," : "",
				 list->id[i]);

		if (n < 0 || (size_t)n >= size - used)
			return -1;
		used += (size_t)n;
	}
	return 0;
}
