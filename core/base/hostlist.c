/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slurm's host lists, "node[001-120,130],login": count, index, find and
 * walk, without libslurm, which containers don't have. No list is expanded
 * in memory.
 */
#include "core/base/hostlist.h"

#include "core/base/hostlist_parts.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int hostlist_next_range(const char **text, struct hostlist_range *ret)
{
	const char *start = *text;
	char *end;

	if (!isdigit((unsigned char)*start))
		return -1;
	ret->first = ret->last = strtoul(start, &end, 10);
	ret->width = (int)(end - start);
	if (*end == '-') {
		start = end + 1;
		if (!isdigit((unsigned char)*start))
			return -1;
		ret->last = strtoul(start, &end, 10);
		if (end - start > HOSTLIST_DIGITS_MAX)
			return -1;
	}
	if (ret->width > HOSTLIST_DIGITS_MAX || ret->last < ret->first)
		return -1;
	if (*end == ',' && end[1] != ']')
		end++;
	else if (*end != ']')
		return -1;
	*text = end;
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

/* Append the index-th number of the group at *text to the name. */
static int group_nth(const char **text, unsigned long index, char *name,
		     size_t *used)
{
	struct hostlist_range r;
	bool found = false;

	do {
		if (hostlist_next_range(text, &r) < 0)
			return -1;
		if (!found && index <= r.last - r.first) {
			int n = snprintf(name + *used,
					 HOSTLIST_NAME_MAX - *used, "%0*lu",
					 r.width, r.first + index);

			if (n < 0 || (size_t)n >= HOSTLIST_NAME_MAX - *used)
				return -1;
			*used += (size_t)n;
			found = true;
		}
		if (!found)
			index -= r.last - r.first + 1;
	} while (**text != ']');
	++*text;
	return found ? 0 : -1;
}

/* The index-th name of one item that stands for n names. */
static int item_nth(const char *text, unsigned long n, unsigned long index,
		    char *name)
{
	size_t used = 0;

	while (*text && *text != ',') {
		if (*text == '[') {
			const char *peek = ++text;
			unsigned long group;

			if (hostlist_group_count(&peek, &group) < 0)
				return -1;
			n /= group;
			if (group_nth(&text, index / n, name, &used) < 0)
				return -1;
			index %= n;
			continue;
		}
		if (used + 1 >= HOSTLIST_NAME_MAX)
			return -1;
		name[used++] = *text++;
	}
	name[used] = '\0';
	return 0;
}

int hostlist_nth(const char *text, unsigned index, char ret[HOSTLIST_NAME_MAX])
{
	unsigned long n, left = index;

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
