/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slurm's host lists, "node[001-120,130],login": count, index, find and
 * walk, without libslurm, which containers don't have. No list is expanded
 * in memory.
 */
#include "core/base/hostlist.h"

#include "core/base/hostlist_parts.h"
#include "core/base/parse.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX 9999999999UL /* HOSTLIST_DIGITS_MAX digits */

int hostlist_next_range(const char **text, struct hostlist_range *ret)
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

int hostlist_group_count(const char **text, unsigned long *ret)
{
	unsigned long n = 0;
	struct hostlist_range r;

	do {
		if (hostlist_next_range(text, &r) < 0 ||
		    r.last - r.first >= HOSTLIST_MAX)
			return -1;
		n += r.last - r.first + 1;
	} while (**text != ']');
	++*text;
	*ret = n;
	return n > HOSTLIST_MAX ? -1 : 0;
}

int hostlist_item_count(const char **text, unsigned long *ret)
{
	const char *p = *text;
	unsigned long n = 1, group;

	while (*p && *p != ',') {
		if (*p == '[') {
			p++;
			if (hostlist_group_count(&p, &group) < 0)
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

int hostlist_next_item(const char **text)
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
		if (hostlist_item_count(&text, &n) < 0 ||
		    hostlist_next_item(&text) < 0)
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
	struct hostlist_range r;
	int n;

	for (;; index -= r.last - r.first + 1) {
		if (*text == ']' || hostlist_next_range(&text, &r) < 0)
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
	return hostlist_group_count(&text, &group) == 0 ? n / group : 0;
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

		if (hostlist_item_count(&text, &n) < 0 ||
		    hostlist_next_item(&text) < 0)
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
	struct hostlist_range r;

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
		if (hostlist_next_range(&text, &r) < 0)
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
		if (walk_item(&w, text, 0) < 0 ||
		    hostlist_item_count(&text, &n) < 0 ||
		    hostlist_next_item(&text) < 0)
			return -1;
	}
	return 0;
}
