/* SPDX-License-Identifier: Apache-2.0 */
/* count, nth and find agree on every list. */
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), name[HOSTLIST_NAME_MAX];
	unsigned n = 77, at = 77;

	if (hostlist_count(text, &n) < 0) {
		RULE(n == 77);
		hostlist_nth(text, HOSTLIST_MAX - 1, name);
	} else {
		RULE(n > 0 && n <= HOSTLIST_MAX);
		RULE(hostlist_nth(text, n, name) < 0);
		if (n < 2000)
			check_name(text, n - 1);
		for (unsigned i = 0; i < n && i < LOOK_MAX; i++)
			check_name(text, i);
		if (n < 2000)
			RULE(hostlist_find(text, "no,name", &at) < 0);
	}
	RULE(at == 77);
	free(text);
	return 0;
}
