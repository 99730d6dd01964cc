/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/idset.h"

#include "core/base/parse.h"
#include "core/base/text.h"

#include <ctype.h>

#define NWORDS (IDSET_MAX / IDSET_BITS)

bool idset_has(const struct idset *set, int id)
{
	return id >= 0 && id < IDSET_MAX &&
	       (set->word[(size_t)id / IDSET_BITS] >>
		((size_t)id % IDSET_BITS)) &
		       1;
}

void idset_add(struct idset *set, int id)
{
	if (id >= 0 && id < IDSET_MAX)
		set->word[(size_t)id / IDSET_BITS] |=
			1UL << ((size_t)id % IDSET_BITS);
}

void idset_unite(struct idset *set, const struct idset *other)
{
	for (size_t i = 0; i < NWORDS; i++)
		set->word[i] |= other->word[i];
}

void idset_intersect(struct idset *set, const struct idset *other)
{
	for (size_t i = 0; i < NWORDS; i++)
		set->word[i] &= other->word[i];
}

unsigned idset_count(const struct idset *set)
{
	unsigned n = 0;

	for (size_t i = 0; i < NWORDS; i++)
		for (unsigned long w = set->word[i]; w; w &= w - 1)
			n++;
	return n;
}

int idset_next(const struct idset *set, int from)
{
	size_t at = from > 0 ? (size_t)from : 0;

	while (at < IDSET_MAX) {
		unsigned long rest =
			set->word[at / IDSET_BITS] >> (at % IDSET_BITS);

		if (rest)
			return (int)at + __builtin_ctzl(rest);
		at += IDSET_BITS - at % IDSET_BITS;
	}
	return -1;
}

int idset_parse(const char *text, struct idset *ret)
{
	struct idset set = {{0}};
	unsigned id, last;

	while (*text && !isspace((unsigned char)*text)) {
		if (parse_range(&text, IDSET_MAX - 1, &id, &last) < 0)
			return -1;
		while (id <= last)
			idset_add(&set, (int)id++);
	}
	while (isspace((unsigned char)*text))
		text++;
	if (*text)
		return -1;
	*ret = set;
	return 0;
}

/* The last id of the run that begins at `first`. */
static int run_end(const struct idset *set, int first)
{
	while (idset_has(set, first + 1))
		first++;
	return first;
}

int idset_format(const struct idset *set, char *buf, size_t size)
{
	if (!size)
		return -1;
	buf[0] = '\0';
	for (int id = idset_next(set, 0), last; id >= 0;
	     id = idset_next(set, last + 1)) {
		last = run_end(set, id);
		if (text_add(buf, size, ",", last > id ? "%d-%d" : "%d", id,
			     last) < 0)
			return -1;
	}
	return 0;
}
