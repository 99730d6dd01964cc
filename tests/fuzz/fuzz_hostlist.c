/* SPDX-License-Identifier: Apache-2.0 */
/* count, nth, find and hostindex agree on every list. */
#include "core/base/hostlist.h"

#include "tests/fuzz/fuzz.h"

#define LOOK_MAX 40

static void check_name(const char *text, unsigned index)
{
	char name[HOSTLIST_NAME_MAX], same[HOSTLIST_NAME_MAX];
	unsigned at;

	if (hostlist_nth(text, index, name) < 0)
		return; /* too long */
	RULE(*name && strlen(name) < sizeof(name));
	RULE(!strpbrk(name, ",[] \t\n"));
	RULE(hostlist_find(text, name, &at) == 0);
	RULE(at <= index);
	RULE(hostlist_nth(text, at, same) == 0 && !strcmp(name, same));
}

/* What begins as the first name does, but isn't one. */
static void check_absent(const char *text)
{
	char name[HOSTLIST_NAME_MAX];
	unsigned at = 77;
	size_t n = strcspn(text, "[,");

	snprintf(name, sizeof(name), "%.*s]", (int)(n < 200 ? n : 200), text);
	RULE(hostlist_find(text, name, &at) < 0 && at == 77);
	snprintf(name, sizeof(name), "%.*s0]", (int)(n < 200 ? n : 200), text);
	RULE(hostlist_find(text, name, &at) < 0 && at == 77);
}

/* The expanded list knows the same names. */
static void check_index(const char *text, unsigned n)
{
	char name[HOSTLIST_NAME_MAX];
	struct hostindex index;
	struct err err;
	unsigned at, same;

	if (hostindex_make(text, &index, &err) < 0)
		return; /* a name is too long */
	RULE(index.n == n);
	for (unsigned i = 0; i < n && i < LOOK_MAX; i++) {
		RULE(hostlist_nth(text, i, name) == 0);
		RULE(!strcmp(index.name[i], name));
		RULE(hostindex_find(&index, name, &at) == 0);
		RULE(hostlist_find(text, name, &same) == 0 && at == same);
	}
	RULE(hostindex_find(&index, "no,name", &at) < 0);
	hostindex_clear(&index);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), name[HOSTLIST_NAME_MAX];
	unsigned n = 77, at = 77;

	check_absent(text);
	if (hostlist_count(text, &n) < 0) {
		RULE(n == 77);
		hostlist_nth(text, HOSTLIST_MAX - 1, name);
	} else {
		RULE(n > 0 && n <= HOSTLIST_MAX);
		RULE(hostlist_nth(text, n, name) < 0);
		check_name(text, n - 1);
		for (unsigned i = 0; i < n && i < LOOK_MAX; i++)
			check_name(text, i);
		RULE(hostlist_find(text, "no,name", &at) < 0);
		if (n < 2000)
			check_index(text, n);
	}
	RULE(at == 77);
	free(text);
	return 0;
}
