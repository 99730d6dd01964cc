/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/hostlist.h"

#include "core/base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct hosts {
	char **host;
	unsigned n, size;
};

static int add_host(void *arg, const char *name)
{
	struct hosts *h = arg;

	if (h->n == h->size)
		return -1;
	h->host[h->n] = strdup(name);
	return h->host[h->n++] ? 0 : -1;
}

char **hostnames_make(const char *list, unsigned n)
{
	struct hosts h = {.size = n};

	h.host = calloc((size_t)n + 1, sizeof(*h.host));
	if (!h.host)
		return NULL;
	if (hostlist_each(list, add_host, &h) == 0 && h.n == n)
		return h.host;
	hostnames_free(h.host);
	return NULL;
}

void hostnames_free(char **names)
{
	for (char **name = names; name && *name; name++)
		free(*name);
	free(names);
}

/* A name that ends in a number: "node007" is "node" and 7, 3 digits wide. */
struct numbered {
	const char *name;
	size_t prefix;
	int width;
	unsigned long number;
};

static bool split(const char *name, struct numbered *ret)
{
	size_t len = strlen(name), prefix = len;

	while (prefix && isdigit((unsigned char)name[prefix - 1]))
		prefix--;
	if (prefix == len || len - prefix > HOSTLIST_DIGITS_MAX)
		return false;
	*ret = (struct numbered){name, prefix, (int)(len - prefix),
				 strtoul(name + prefix, NULL, 10)};
	return true;
}

/* How many of the names are one run of numbers, "[007-012]". */
static unsigned run_length(const struct numbered *first, char *const *names,
			   unsigned n)
{
	char digits[HOSTLIST_DIGITS_MAX * 3];
	unsigned i = 1;

	for (; i < n; i++) {
		snprintf(digits, sizeof(digits), "%0*lu", first->width,
			 first->number + i);
		if (strncmp(names[i], first->name, first->prefix) != 0 ||
		    strcmp(names[i] + first->prefix, digits) != 0)
			break;
	}
	return i;
}

/* How many of the names differ in their numbers alone. */
static unsigned group_length(const struct numbered *first, char *const *names,
			     unsigned n)
{
	struct numbered other;
	unsigned i = 1;

	while (i < n && split(names[i], &other) &&
	       other.prefix == first->prefix &&
	       !strncmp(names[i], first->name, first->prefix))
		i++;
	return i;
}

static void put_group(FILE *f, char *const *names, unsigned n)
{
	struct numbered first;

	for (unsigned i = 0, run; i < n; i += run) {
		split(names[i], &first);
		run = run_length(&first, names + i, n - i);
		fprintf(f, "%s%s", i ? "," : "", first.name + first.prefix);
		if (run > 1)
			fprintf(f, "-%0*lu", first.width,
				first.number + run - 1);
	}
}

char *hostnames_text(char *const *names, unsigned n)
{
	struct numbered first;
	struct text_stream stream;
	FILE *f = text_stream_open(&stream);

	for (unsigned i = 0, group; f && i < n; i += group) {
		group = split(names[i], &first)
				? group_length(&first, names + i, n - i)
				: 1;
		fprintf(f, "%s", i ? "," : "");
		if (group == 1) {
			fprintf(f, "%s", names[i]);
			continue;
		}
		fprintf(f, "%.*s[", (int)first.prefix, names[i]);
		put_group(f, names + i, group);
		fprintf(f, "]");
	}
	return text_stream_take(&stream);
}
