/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index of a name in a host list. It is computed, no name is made: the time
 * depends on the length of the text alone, however many names the list has.
 */
#include "core/base/hostlist.h"

#include "core/base/hostlist_parts.h"

#include <ctype.h>
#include <string.h>

/*
 * hostlist_find() reads each item once. It keeps how many bytes of the wanted
 * name the item's text so far may stand for, and the lowest index with which
 * it does: groups side by side, "[1-20][1-20]", may divide digits in several
 * ways.
 */
struct part {
	unsigned bytes;
	unsigned long index;
};

struct match {
	const char *name;
	unsigned n;
	struct part part[HOSTLIST_NAME_MAX];
};

static void add_part(struct match *m, unsigned bytes, unsigned long index)
{
	unsigned i = 0;

	while (i < m->n && m->part[i].bytes != bytes)
		i++;
	if (i == m->n)
		m->part[m->n++] = (struct part){bytes, index};
	else if (index < m->part[i].index)
		m->part[i].index = index;
}

/* A byte outside of brackets. */
static void match_byte(struct match *m, char c)
{
	unsigned n = 0;

	for (unsigned i = 0; i < m->n; i++)
		if (m->name[m->part[i].bytes] == c)
			m->part[n++] = (struct part){m->part[i].bytes + 1,
						     m->part[i].index};
	m->n = n;
}

/* A range of a group, at the name's bytes after `part`. The index of the
 * range's first number is `first`. */
static void match_range(const struct hostlist_range *r, const struct part *part,
			unsigned long first, struct match *ret)
{
	const char *digits = ret->name + part->bytes;
	unsigned long number = 0;

	for (int n = 0;
	     n < HOSTLIST_DIGITS_MAX && isdigit((unsigned char)digits[n]);) {
		number = number * 10 + (unsigned long)(digits[n++] - '0');
		if (number >= r->first && number <= r->last &&
		    (n == r->width || (n > r->width && *digits != '0')))
			add_part(ret, part->bytes + (unsigned)n,
				 first + number - r->first);
	}
}

/* A group; *text starts after '[' and ends after ']'. */
static int match_group(struct match *m, const char **text)
{
	struct match found;
	unsigned long n, before = 0;
	const char *range = *text;
	struct hostlist_range r;

	if (hostlist_group_count(text, &n) < 0)
		return -1;
	found.name = m->name;
	found.n = 0;
	while (*range != ']' && hostlist_next_range(&range, &r) == 0) {
		for (unsigned i = 0; i < m->n; i++)
			match_range(&r, &m->part[i],
				    m->part[i].index * n + before, &found);
		before += r.last - r.first + 1;
	}
	m->n = found.n;
	memcpy(m->part, found.part, found.n * sizeof(*found.part));
	return 0;
}

/* The index of the name among those of one item. */
static int match_item(const char *text, const char *name, unsigned long *ret)
{
	size_t prefix = strcspn(text, "[,");
	struct match m;

	if (strncmp(text, name, prefix) != 0)
		return -1;
	m.name = name;
	m.n = 0;
	add_part(&m, (unsigned)prefix, 0);
	text += prefix;
	while (m.n && *text && *text != ',') {
		if (*text != '[') {
			match_byte(&m, *text++);
			continue;
		}
		text++;
		if (match_group(&m, &text) < 0)
			return -1;
	}
	for (unsigned i = 0; i < m.n; i++)
		if (!name[m.part[i].bytes]) {
			*ret = m.part[i].index;
			return 0;
		}
	return -1;
}

int hostlist_find(const char *text, const char *name, unsigned *ret)
{
	unsigned long n, index, before = 0;

	if (strlen(name) >= HOSTLIST_NAME_MAX)
		return -1;
	while (*text) {
		const char *item = text;

		if (hostlist_item_count(&text, &n) < 0 ||
		    hostlist_next_item(&text) < 0)
			return -1;
		if (match_item(item, name, &index) == 0) {
			*ret = (unsigned)(before + index);
			return 0;
		}
		before += n;
	}
	return -1;
}
