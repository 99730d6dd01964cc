/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slurm's host lists, "node[001-120,130],login": count, index, find and
 * walk, without libslurm, which containers don't have. No list is expanded
 * in memory.
 */
#include "core/base/hostlist.h"

#include "core/base/parse.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define NUMBER_MAX 9999999999UL /* HOSTLIST_DIGITS_MAX digits */

/*
 * A list is items with commas between, and an item is bytes and bracket groups
 * of ranges: "r[1-2]n[001-120,130],login". Each of these functions returns -1
 * when the text isn't a host list; *text has moved then, or hasn't.
 */

/* One range of a group: "001-120" is first 1, last 120, width 3. */
struct range {
	unsigned long first, last;
	int width;
};

/* Read "N" or "N-M" and skip the comma after it; stop at ']'. */
static int next_range(const char **text, struct range *ret)
{
	const char *at = *text, *last;

	if (digits_read(&at, NUMBER_MAX, &ret->first) < 0 ||
	    at - *text > HOSTLIST_DIGITS_MAX)
		return -1;
	ret->width = (int)(at - *text);
	ret->last = ret->first;
	if (*at == '-') {
		last = ++at;
		if (digits_read(&at, NUMBER_MAX, &ret->last) < 0 ||
		    at - last > HOSTLIST_DIGITS_MAX || ret->last < ret->first)
			return -1;
	}
	if (*at == ',' && at[1] != ']')
		at++;
	else if (*at != ']')
		return -1;
	*text = at;
	return 0;
}

/* How many numbers a group has; *text starts after '[' and ends after ']'. */
static int group_count(const char **text, unsigned long *ret)
{
	unsigned long n = 0;
	struct range r;

	do {
		if (next_range(text, &r) < 0 ||
		    r.last - r.first >= HOSTLIST_MAX)
			return -1;
		n += r.last - r.first + 1;
	} while (**text != ']');
	++*text;
	*ret = n;
	return n > HOSTLIST_MAX ? -1 : 0;
}

/* One item, up to its comma: how many names it stands for. */
static int item_count(const char **text, unsigned long *ret)
{
	const char *p = *text;
	unsigned long n = 1, group;

	while (*p && *p != ',') {
		if (*p == '[') {
			p++;
			if (group_count(&p, &group) < 0)
				return -1;
			n *= group;
			if (n > HOSTLIST_MAX)
				return -1;
			continue;
		}
		if (*p == ']' || isspace((unsigned char)*p))
			return -1;
		p++;
	}
	if (p == *text)
		return -1;
	*text = p;
	*ret = n;
	return 0;
}

/* Skip the comma between items; none may be at the end. */
static int next_item(const char **text)
{
	if (**text == ',') {
		++*text;
		return **text ? 0 : -1;
	}
	return 0;
}

int hostlist_count(const char *text, unsigned *ret)
{
	unsigned long total = 0, n;

	while (*text) {
		if (item_count(&text, &n) < 0 || next_item(&text) < 0)
			return -1;
		total += n;
		if (total > HOSTLIST_MAX)
			return -1;
	}
	if (!total)
		return -1;
	*ret = (unsigned)total;
	return 0;
}

/* Append the index-th number of the group at `text` to the name. */
static int group_nth(const char *text, unsigned long index, char *name,
		     size_t *used)
{
	struct range r;
	int n;

	for (;; index -= r.last - r.first + 1) {
		if (*text == ']' || next_range(&text, &r) < 0)
			return -1;
		if (index <= r.last - r.first)
			break;
	}
	n = snprintf(name + *used, HOSTLIST_NAME_MAX - *used, "%0*lu", r.width,
		     r.first + index);
	if (n < 0 || (size_t)n >= HOSTLIST_NAME_MAX - *used)
		return -1;
	*used += (size_t)n;
	return 0;
}

/* How many names the rest of an item stands for, after the group at *text,
 * which ends at `end`; the group and the rest stand for n. A group that is the
 * last one, as most are, isn't read for it. */
static unsigned long rest_count(const char *text, const char *end,
				unsigned long n)
{
	unsigned long group;

	if (end[strcspn(end, "[,")] != '[')
		return 1;
	return group_count(&text, &group) == 0 ? n / group : 0;
}

/* The index-th name of one item, which stands for n names. The first one needs
 * no n, nor a look at the rest of a group. */
static int item_nth(const char *text, unsigned long n, unsigned long index,
		    char *name)
{
	size_t used = 0;

	for (; *text && *text != ','; text++) {
		if (*text == '[') {
			const char *end = strchr(++text, ']');

			if (end)
				n = index ? rest_count(text, end, n) : 1;
			if (!end || !n ||
			    group_nth(text, index / n, name, &used) < 0)
				return -1;
			index %= n;
			text = end;
			continue;
		}
		if (*text == ']' || isspace((unsigned char)*text) ||
		    used + 1 >= HOSTLIST_NAME_MAX)
			return -1;
		name[used++] = *text;
	}
	name[used] = '\0';
	return used ? 0 : -1;
}

int hostlist_nth(const char *text, unsigned index, char ret[HOSTLIST_NAME_MAX])
{
	unsigned long n, left = index;

	if (!index)
		return item_nth(text, 1, 0, ret);
	while (*text) {
		const char *item = text;

		if (item_count(&text, &n) < 0 || next_item(&text) < 0)
			return -1;
		if (left < n)
			return item_nth(item, n, left, ret);
		left -= n;
	}
	return -1;
}

struct walk {
	int (*each)(void *arg, const char *name);
	void *arg;
	char name[HOSTLIST_NAME_MAX];
};

/* Visit each name of one well-formed item; the first `used` bytes of the name
 * are already written. Recursion is as deep as the item has groups. */
static int walk_item(struct walk *w, const char *text, size_t used)
{
	const char *rest;
	struct range r;

	while (*text && *text != ',' && *text != '[') {
		if (used + 1 >= sizeof(w->name))
			return -1;
		w->name[used++] = *text++;
	}
	w->name[used] = '\0';
	if (*text != '[')
		return w->each(w->arg, w->name);
	rest = strchr(text++, ']') + 1;
	do {
		if (next_range(&text, &r) < 0)
			return -1;
		for (; r.first <= r.last; r.first++) {
			int n = snprintf(w->name + used, sizeof(w->name) - used,
					 "%0*lu", r.width, r.first);

			if (n < 0 || (size_t)n >= sizeof(w->name) - used ||
			    walk_item(w, rest, used + (size_t)n) != 0)
				return -1;
		}
	} while (*text != ']');
	return 0;
}

int hostlist_each(const char *text, int (*each)(void *arg, const char *name),
		  void *arg)
{
	struct walk w = {.each = each, .arg = arg};
	unsigned long n;
	unsigned total;

	if (hostlist_count(text, &total) < 0)
		return -1;
	while (*text) {
		if (walk_item(&w, text, 0) < 0 || item_count(&text, &n) < 0 ||
		    next_item(&text) < 0)
			return -1;
	}
	return 0;
}

/*
 * The index of a name in a host list. It is computed, no name is made: the time
 * depends on the length of the text alone, however many names the list has.
 */

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
static void match_range(const struct range *r, const struct part *part,
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
	struct range r;

	if (group_count(text, &n) < 0)
		return -1;
	found.name = m->name;
	found.n = 0;
	while (*range != ']' && next_range(&range, &r) == 0) {
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

		if (item_count(&text, &n) < 0 || next_item(&text) < 0)
			return -1;
		if (match_item(item, name, &index) == 0) {
			*ret = (unsigned)(before + index);
			return 0;
		}
		before += n;
	}
	return -1;
}
